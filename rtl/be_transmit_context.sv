// TE's state of one context: the next notification to send, which ones are acknowledged or refused, and two
// timers. All registers are 0 while the context is not active.
module be_transmit_context #(
    parameter int ROUNDS = 20,
    parameter int PEERS  = 15
) (
    input  logic             clock,
    input  logic             reset,
    input  logic      [31:0] now,
    input  logic      [31:0] cfg_backoff,
    input  logic      [31:0] cfg_timeout,
    input  logic      [ 3:0] cfg_shift_max,
    input  logic             active,
    input  logic      [ 4:0] rounds,
    input  logic      [ 3:0] rank,            // modulo 16, spreads retries
    // T1: a response for this context, and the length of the send list to which it refers
    input  logic             response,
    input  logic             response_is_ack,
    input  logic      [ 4:0] response_round,
    input  logic      [ 3:0] response_index,
    input  logic      [ 3:0] response_sends,
    // T2: at most one of these per cycle
    input  logic             skip,            // a round without sends
    input  logic             send,            // the next notification
    input  logic             send_last,       // … which is the last of its round
    input  logic             resend,
    input  logic      [ 3:0] resend_index,
    input  logic             pass_on,         // to the next round of the pass
    output logic      [ 4:0] round,           // sr, si: the next notification
    output logic      [ 3:0] index,
    output logic             all_acked,       // of the notifications sent
    output logic             passing,
    output logic      [ 4:0] pass_round,
    output logic [PEERS-1:0] pass_places      // notifications of this round that the pass still has to send
);
  typedef enum logic [1:0] {NONE, BACKOFF, TIMEOUT} pass_t;
  localparam int BITS = ROUNDS * PEERS;
  localparam int UB = $clog2(BITS + 1);
  localparam int BB = BITS > 1 ? $clog2(BITS) : 1;

  pass_t pass;
  logic [BITS-1:0] acked, nacked;
  logic [UB-1:0] unacked;
  logic armed;
  logic [31:0] backoff_due, timeout_due;
  logic [3:0] tries, late, pass_index, tries_shift, late_shift;

  assign all_acked = unacked == 0;
  assign passing = pass != NONE;
  assign tries_shift = tries < cfg_shift_max ? tries : cfg_shift_max;
  assign late_shift = late < cfg_shift_max ? late : cfg_shift_max;

  // Index of a notification's bit. Indices that no descriptor uses may alias: they are never read.
  function automatic logic [BB-1:0] at(input logic [4:0] of_round, input logic [3:0] of_index);
    at = BB'(PEERS * 32'(of_round) + 32'(of_index));
  endfunction

  // T1: whether the response refers to a notification that was sent and is not acknowledged.
  logic [BB-1:0] named, resent;
  logic counts;
  assign named = at(response_round, response_index);
  assign resent = at(pass_round, resend_index);
  assign counts = response && response_round < rounds && response_index < response_sends &&
                  (response_round < round || (response_round == round && response_index < index)) && !acked[named];

  // T2: notifications of the pass's round that need a resend.
  logic [PEERS-1:0] pass_acked, pass_nacked;
  assign pass_acked = acked[at(pass_round, 4'd0)+:PEERS];
  assign pass_nacked = nacked[at(pass_round, 4'd0)+:PEERS];
  always_comb
    for (int i = 0; i < PEERS; i = i + 1)
      pass_places[i] = passing && pass_round < rounds && 4'(i) >= pass_index && !pass_acked[i] &&
                       (pass == TIMEOUT || pass_nacked[i]) &&
                       (pass_round < round || (pass_round == round && 4'(i) < index));

  // T3: timers that are due.
  logic backoff_ends, timeout_ends;
  assign backoff_ends = !passing && armed && $signed(now - backoff_due) >= 0;
  assign timeout_ends = !passing && !backoff_ends && !all_acked && $signed(now - timeout_due) >= 0;

  always_ff @(posedge clock)
    if (reset || !active) begin
      round <= '0;
      index <= '0;
      unacked <= '0;
      acked <= '0;
      nacked <= '0;
      armed <= 1'b0;
      backoff_due <= '0;
      timeout_due <= '0;
      tries <= '0;
      late <= '0;
      pass <= NONE;
      pass_round <= '0;
      pass_index <= '0;
    end else begin
      if (send && !(counts && response_is_ack)) unacked <= unacked + 1'b1;
      if (!send && counts && response_is_ack) unacked <= unacked - 1'b1;
      if (counts && response_is_ack) acked[named] <= 1'b1;
      if (counts) nacked[named] <= !response_is_ack;
      if (resend) nacked[resent] <= 1'b0;  // also if it is refused again in this cycle

      if (backoff_ends) armed <= 1'b0;
      else if (counts && !response_is_ack) armed <= 1'b1;
      if (counts && !response_is_ack && !armed) backoff_due <= now + (cfg_backoff << tries_shift) + {28'd0, rank};
      if (counts && response_is_ack) tries <= '0;
      else if (counts && !armed && tries != 4'd15) tries <= tries + 4'd1;

      if (counts) late <= '0;
      else if (timeout_ends && late != 4'd15) late <= late + 4'd1;
      if (send || resend) timeout_due <= now + (cfg_timeout << late_shift);
      else if (counts) timeout_due <= now + cfg_timeout;

      if (skip || (send && send_last)) begin
        round <= round + 5'd1;
        index <= '0;
      end else if (send) index <= index + 4'd1;

      if (backoff_ends || timeout_ends) begin
        pass <= backoff_ends ? BACKOFF : TIMEOUT;
        pass_round <= '0;
        pass_index <= '0;
      end else if (resend) pass_index <= resend_index + 4'd1;
      else if (pass_on) begin
        pass_index <= '0;
        pass_round <= pass_round + 5'd1;
        if (pass_round >= round || {1'b0, pass_round} + 6'd1 >= {1'b0, rounds}) begin
          pass <= NONE;
          pass_round <= '0;
        end
      end
    end

`ifndef SYNTHESIS
  // Sent notifications are tracked until they are acknowledged: the counter that decides about retiring
  // equals the number of missing bits. A separate scoreboard records what was sent.
  logic [BITS-1:0] sent;
  always_ff @(posedge clock)
    if (reset || !active) sent <= '0;
    else if (send) sent[PEERS*round+32'(index)] <= 1'b1;

  always_ff @(posedge clock)
    if (!reset && active) begin
      te_counts_unacked :
      assert (32'(unacked) == 32'($countones(sent & ~acked)))
      else $error("be_transmit_context: %0d unacked, but %0d are", unacked, $countones(sent & ~acked));
      te_acks_what_was_sent :
      assert ((acked & ~sent) == 0 && (nacked & ~sent) == 0 && (nacked & acked) == 0)
      else $error("be_transmit_context: a response to what was not sent");
      te_resends_unacked :
      assert (!resend || (sent[resent] && !acked[resent]))
      else $error("be_transmit_context: sends again what is acknowledged or was never sent");
      te_refusal_is_remembered :
      assert (nacked == 0 || armed || passing)
      else $error("be_transmit_context: a refused notification, and no timer");
    end
`endif
endmodule

// Assertions on SE, checked with a separate scoreboard of the accepted notifications per context and round.
// Simulation only.
module be_receive_checks #(
    parameter int CONTEXTS = 4,
    parameter int PEERS = 15,
    localparam int CB = CONTEXTS > 1 ? $clog2(CONTEXTS) : 1
) (
    input logic                  clock,
    input logic                  reset,
    input logic         [CB-1:0] row_context,
    input logic            [4:0] row_round,
    input logic            [4:0] rounds,
    input logic            [3:0] receives,
    /* verilator lint_off UNUSEDSIGNAL */
    input be_pkg::header_t       request,
    /* verilator lint_on UNUSEDSIGNAL */
    input logic                  takes,
    input logic                  stray,
    input logic                  past,
    input logic                  current,
    input logic      [PEERS-1:0] request_place,
    input logic                  is_held,
    input logic                  is_full,
    input logic                  insert,
    input logic                  remove,
    input logic                  ready_stray,
    input logic                  answered,
    input logic            [1:0] response_kind,
    input logic                  accept,
    input logic      [PEERS-1:0] accept_place,
    input logic                  advance,
    input logic                  complete,
    input logic                  retire
);
  logic [PEERS*32*CONTEXTS-1:0] arrived;
  int unsigned rounds_over[0:CONTEXTS-1];

  /* verilator lint_off UNUSEDSIGNAL */
  int at;  // first bit of the current row
  assign at = PEERS * (32 * 32'(row_context) + 32'(row_round));
  /* verilator lint_on UNUSEDSIGNAL */

  logic [PEERS-1:0] wanted, here;
  assign wanted = PEERS'((32'd1 << receives) - 32'd1);
  assign here = arrived[at+:PEERS];

  always_ff @(posedge clock)
    if (reset) begin
      arrived <= '0;
      for (int c = 0; c < CONTEXTS; c++) rounds_over[c] <= 0;
    end else begin
      if (accept) arrived[at+:PEERS] <= here | accept_place;
      if (advance) rounds_over[row_context] <= rounds_over[row_context] + 1;
      if (retire) begin
        arrived[PEERS*32*row_context+:PEERS*32] <= '0;
        rounds_over[row_context] <= 0;
      end
    end

  logic repeated, known;
  assign repeated = takes && !stray && response_kind == be_pkg::ACK && !accept && !insert;
  // Reasons for which a notification may be acknowledged again and dropped.
  assign known = past || is_held || (current && (here & request_place) != 0);

  always_ff @(posedge clock)
    if (!reset) begin
      // No notification is lost.
      se_answers :
      assert (!takes || answered == !stray)
      else $error("be_receive: a notification of round %0d has no answer", request.round);
      se_acknowledges_what_it_keeps :
      assert (!repeated || known)
      else $error("be_receive: a notification of round %0d is acknowledged and forgotten", request.round);
      se_takes_no_stray :
      assert (!takes || !stray || (!accept && !insert))
      else $error("be_receive: a stray notification has an effect");
      se_removes_what_it_accepts :
      assert (!remove || accept != ready_stray)
      else $error("be_receive: the DAMQ loses a notification");
      // No overflow without a NACK, and no NACK without an overflow.
      se_refuses_when_full :
      assert (!takes || stray || accept || known || (response_kind == be_pkg::NACK) == is_full)
      else $error("be_receive: %s", is_full ? "a full DAMQ, and no NACK" : "a NACK, and room in the DAMQ");
      // No notification is counted twice.
      se_accepts_once :
      assert (!accept || ((here & accept_place) == 0 && $onehot(accept_place) && (accept_place & ~wanted) == 0))
      else $error("be_receive: round %0d accepts a notification twice", row_round);
      // No round, and no collective, ends before all notifications have arrived.
      se_round_is_whole :
      assert (!advance || (accept ? here | accept_place : here) == wanted)
      else $error("be_receive: round %0d is over early", row_round);
      se_completion_is_whole :
      assert (!complete || rounds_over[row_context] == 32'(rounds))
      else $error("be_receive: complete after %0d of %0d rounds", rounds_over[row_context], rounds);
    end
endmodule

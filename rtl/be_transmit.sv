// TE: sends the notifications of a round when all of the previous rounds have arrived, and repeats refused
// and unanswered ones. T1 takes a response, T2 sends a packet, T3 checks the timers; all three in each cycle.
module be_transmit #(
    parameter int CONTEXTS = 4,
    parameter int ROUNDS = 20,
    parameter int PEERS = 15,
    localparam int CB = CONTEXTS > 1 ? $clog2(CONTEXTS) : 1
) (
    input  logic                                     clock,
    input  logic                                     reset,
    input  logic                              [31:0] now,
    input  logic                              [31:0] cfg_backoff,
    input  logic                              [31:0] cfg_timeout,
    input  logic                              [ 3:0] cfg_shift_max,
    input  logic                                     cfg_strict,
    // per context
    input  logic                      [CONTEXTS-1:0] active,
    input  logic [be_pkg::CONTEXT_BITS*CONTEXTS-1:0] contexts,
    input  logic                   [16*CONTEXTS-1:0] ids,
    input  logic                   [32*CONTEXTS-1:0] epochs,
    input  logic                    [5*CONTEXTS-1:0] rounds,
    input  logic                    [4*CONTEXTS-1:0] ranks,        // modulo 16
    input  logic                    [5*CONTEXTS-1:0] rounds_over,  // rr of SE
    output logic                      [CONTEXTS-1:0] all_acked,    // and all have been sent
    // plans: of the round of a response, and of the round to send from
    output logic                            [CB-1:0] response_context,
    input  logic                              [ 3:0] response_sends,
    output logic                            [CB-1:0] send_context,
    output logic                              [ 4:0] send_round,
    input  logic                              [ 3:0] sends,
    output logic                              [ 3:0] send_index,
    input  logic                              [31:0] destination,
    // incoming responses: accepted in every cycle
    input  logic                                     rxp_valid,
    /* verilator lint_off UNUSEDSIGNAL */
    input  be_pkg::header_t                          response,
    /* verilator lint_on UNUSEDSIGNAL */
    // notifications; the payload is the value of send_context and send_round
    output logic                                     txq_valid,
    input  logic                                     txq_ready,
    output be_pkg::header_t                          notification
);
  logic [CONTEXTS-1:0] hit, wants, passing, unacked_none;
  logic [5*CONTEXTS-1:0] round, pass_round;
  logic [4*CONTEXTS-1:0] index;
  logic [PEERS*CONTEXTS-1:0] pass_places;
  logic hit_found, new_found, pass_found;
  logic [CB-1:0] new_context, pass_context;

  for (genvar c = 0; c < CONTEXTS; c++) begin : g_choice
    assign hit[c] = active[c] && ids[16*c+:16] == response.id && epochs[32*c+:32] == response.epoch;
    assign wants[c] = active[c] && round[5*c+:5] < rounds[5*c+:5] && rounds_over[5*c+:5] >= round[5*c+:5] &&
                      (!cfg_strict || index[4*c+:4] != 0 || unacked_none[c]);
    assign all_acked[c] = round[5*c+:5] == rounds[5*c+:5] && unacked_none[c];
  end

  be_lowest #(.COUNT(CONTEXTS)) lowest_hit (.requests(hit), .found(hit_found), .index(response_context));
  be_lowest #(.COUNT(CONTEXTS)) lowest_new (.requests(wants), .found(new_found), .index(new_context));
  be_lowest #(.COUNT(CONTEXTS)) lowest_pass (
      .requests(active & passing), .found(pass_found), .index(pass_context)
  );

  // T2: the next notification of the lowest context that may send one, otherwise the next one of a pass.
  logic [PEERS-1:0] places;
  logic [3:0] place_index;
  logic does_skip, does_send, does_resend, does_pass_on, send_last;
  assign send_context = new_found ? new_context : pass_context;
  assign send_round = new_found ? round[5*new_context+:5] : pass_round[5*pass_context+:5];
  always_comb begin
    places = '0;
    for (int i = 0; i < PEERS; i = i + 1) places[i] = pass_places[PEERS*pass_context+i] && 4'(i) < sends;
    place_index = '0;
    for (int i = PEERS - 1; i >= 0; i = i - 1) if (places[i]) place_index = 4'(i);
  end
  assign send_index = new_found ? index[4*new_context+:4] : place_index;
  assign send_last = {1'b0, send_index} + 5'd1 == {1'b0, sends};
  assign does_skip = txq_ready && new_found && sends == 0;
  assign does_send = txq_ready && new_found && sends != 0;
  assign does_resend = txq_ready && !new_found && pass_found && places != 0;
  assign does_pass_on = txq_ready && !new_found && pass_found && places == 0;

  /* verilator lint_off UNUSEDSIGNAL */
  be_pkg::context_t sender;
  /* verilator lint_on UNUSEDSIGNAL */
  assign sender = contexts[be_pkg::CONTEXT_BITS*send_context+:be_pkg::CONTEXT_BITS];
  assign txq_valid = does_send || does_resend;
  always_comb begin
    notification.kind = be_pkg::NOTIFICATION;
    notification.round = send_round;
    notification.words = sender.elements;
    notification.send = send_index;
    notification.reserved = 1'b0;
    notification.id = sender.id;
    notification.epoch = sender.epoch;
    notification.source = sender.rank;
    notification.destination = destination;
  end

  for (genvar c = 0; c < CONTEXTS; c++) begin : g_context
    logic here;  // T2 acts on this context
    assign here = send_context == CB'(c);
    be_transmit_context #(.ROUNDS(ROUNDS), .PEERS(PEERS)) state (
        .clock, .reset, .now, .cfg_backoff, .cfg_timeout, .cfg_shift_max,
        .active(active[c]), .rounds(rounds[5*c+:5]), .rank(ranks[4*c+:4]),
        .response(rxp_valid && hit_found && response_context == CB'(c) &&
                  (response.kind == be_pkg::ACK || response.kind == be_pkg::NACK)),
        .response_is_ack(response.kind == be_pkg::ACK),
        .response_round(response.round), .response_index(response.send), .response_sends,
        .skip(does_skip && here), .send(does_send && here), .send_last,
        .resend(does_resend && here), .resend_index(place_index), .pass_on(does_pass_on && here),
        .round(round[5*c+:5]), .index(index[4*c+:4]), .all_acked(unacked_none[c]),
        .passing(passing[c]), .pass_round(pass_round[5*c+:5]), .pass_places(pass_places[PEERS*c+:PEERS])
    );
  end

`ifndef SYNTHESIS
  // A notification of a round implies that all of the previous rounds have arrived.
  always_ff @(posedge clock)
    if (!reset)
      te_waits_for_rounds :
      assert (!txq_valid || (active[send_context] && rounds_over[5*send_context+:5] >= send_round))
      else $error("be_transmit: round %0d leaves before those before it have arrived", send_round);
`endif
endmodule

// SE: accepts notifications in the order of rounds. One action per cycle: an accepted payload (BUSY), early
// notifications whose round has begun (look), the end of a context (retire), or a request from the network.
module be_receive #(
    parameter int CONTEXTS = 4,
    parameter int ROUNDS = 20,
    parameter int PEERS = 15,
    parameter int VALUE_WORDS = 8,
    parameter int IDS = 16,
    parameter int DAMQ_DEPTH = 16,
    localparam int CB = CONTEXTS > 1 ? $clog2(CONTEXTS) : 1,
    localparam int DB = $clog2(DAMQ_DEPTH + 1),
    localparam int VB = 64 * VALUE_WORDS
) (
    input  logic                                    clock,
    input  logic                                    reset,
    input  logic                         [  DB-1:0] cfg_damq_depth,
    // the contexts, written by OF
    input  logic [be_pkg::CONTEXT_BITS*CONTEXTS-1:0] contexts,
    input  logic                   [16*CONTEXTS-1:0] ids,
    input  logic                   [32*CONTEXTS-1:0] epochs,
    input  logic                                    post,
    input  logic                         [  CB-1:0] post_context,
    // the row of the plans and values for `row_context` and its current round
    output logic                         [  CB-1:0] row_context,
    output logic                         [     4:0] row_round,
    /* verilator lint_off UNUSEDSIGNAL */
    input  be_pkg::plan_t                           plan,
    /* verilator lint_on UNUSEDSIGNAL */
    input  logic                      [32*PEERS-1:0] sources,
    input  logic                         [  VB-1:0] own,
    // the value of the next round of `row_context`
    output logic                 [VALUE_WORDS-1:0] value_write,
    output logic                         [     4:0] value_round,
    output logic                         [  VB-1:0] value,
    // per context
    output logic                   [  CONTEXTS-1:0] active,
    output logic                   [  CONTEXTS-1:0] done,
    output logic                   [5*CONTEXTS-1:0] rounds_over,  // rr
    input  logic                   [  CONTEXTS-1:0] reported,     // to the host
    input  logic                   [  CONTEXTS-1:0] all_acked,
    // requests and their responses
    input  logic                                    rxq_valid,
    output logic                                    rxq_pop,
    input  be_pkg::header_t                         request,
    input  logic                         [  VB-1:0] payload,
    output logic                                    txp_valid,
    input  logic                                    txp_ready,
    output be_pkg::header_t                         response
);
  localparam int IB = IDS > 1 ? $clog2(IDS) : 1;

  logic [CONTEXTS-1:0] look;
  (* mem2reg *) logic [4:0] rr[0:CONTEXTS-1];
  (* mem2reg *) logic [PEERS-1:0] got[0:CONTEXTS-1];
  (* mem2reg *) logic [3:0] count[0:CONTEXTS-1];

  // Lowest epoch that is not over, per id; 0 until one is over.
  logic [31:0] low[0:IDS-1];
  logic [IDS-1:0] has_low;

  // ---- selection of the action
  logic busy, look_found, retire_found, match_found, does_look, does_retire;
  logic [CB-1:0] busy_context, look_context, retire_context, match_context;
  logic [CONTEXTS-1:0] same_barrier;

  for (genvar c = 0; c < CONTEXTS; c++) begin : g_context
    assign same_barrier[c] = active[c] && ids[16*c+:16] == request.id && epochs[32*c+:32] == request.epoch;
    assign rounds_over[5*c+:5] = rr[c];
  end

  be_lowest #(.COUNT(CONTEXTS)) lowest_look (.requests(look), .found(look_found), .index(look_context));
  be_lowest #(.COUNT(CONTEXTS)) lowest_match (.requests(same_barrier), .found(match_found), .index(match_context));
  be_retire #(.CONTEXTS(CONTEXTS)) retire (
      .active, .over(done & reported & all_acked), .ids, .epochs, .found(retire_found), .index(retire_context)
  );

  assign does_look = !busy && look_found;
  assign does_retire = !busy && !look_found && retire_found;
  assign rxq_pop = !busy && !look_found && !retire_found && txp_ready;
  logic takes;
  assign takes = rxq_pop && rxq_valid;

  always_comb begin
    row_context = match_context;
    if (busy) row_context = busy_context;
    else if (look_found) row_context = look_context;
    else if (retire_found) row_context = retire_context;
  end

  // ---- the selected context, in its current round
  /* verilator lint_off UNUSEDSIGNAL */
  be_pkg::context_t present;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [PEERS-1:0] got_here;
  logic [3:0] count_here;
  logic [4:0] count_after;
  logic combine, round_over;
  assign present = contexts[be_pkg::CONTEXT_BITS*row_context+:be_pkg::CONTEXT_BITS];
  assign row_round = rr[row_context];
  assign got_here = got[row_context];
  assign count_here = count[row_context];
  assign count_after = {1'b0, count_here} + 5'd1;
  assign combine = plan.action == be_pkg::COMBINE;
  assign round_over = count_after == {1'b0, plan.receives};

  // ---- a request
  logic in_list, is_next, is_taken, malformed, past, stray, duplicate, current, early;
  logic [PEERS-1:0] request_place;
  logic [31:0] lowest_epoch;
  be_source_match #(.PEERS(PEERS)) match (
      .source(request.source), .sources, .receives(plan.receives), .combine, .got(got_here), .count(count_here),
      .in_list, .place(request_place), .is_next, .is_taken
  );
  assign lowest_epoch = has_low[request.id[IB-1:0]] ? low[request.id[IB-1:0]] : 32'd0;
  assign malformed = request.kind != be_pkg::NOTIFICATION || {16'd0, request.id} >= 32'(IDS) ||
                     request.round >= 5'(ROUNDS) || request.words > 4'(VALUE_WORDS);
  assign current = match_found && request.round == row_round;

  always_comb begin
    past = $signed(request.epoch - lowest_epoch) < 0 || (match_found && request.round < row_round);
    stray = malformed;
    if (!past && match_found &&
        (request.round >= present.rounds || request.words != present.elements || (current && !in_list)))
      stray = 1'b1;
    duplicate = !stray && (past || (current && is_taken));
    early = !stray && !duplicate && !(current && is_next);
  end

  // ---- the request DAMQ
  logic ready_valid, ready_stray, is_held, is_full, insert, remove;
  logic [PEERS-1:0] ready_place;
  logic [VB-1:0] ready_payload;
  logic skips, all_over;
  assign all_over = does_look && row_round == present.rounds;
  assign skips = does_look && !all_over && plan.receives == 0;
  assign remove = does_look && !all_over && !skips && ready_valid;
  assign insert = takes && early && !is_held && !is_full;

  be_request_damq #(.DEPTH(DAMQ_DEPTH), .PEERS(PEERS), .VALUE_WORDS(VALUE_WORDS)) damq (
      .clock, .reset, .cfg_depth(cfg_damq_depth),
      .key_id(does_look || does_retire ? present.id : request.id),
      .key_epoch(does_look || does_retire ? present.epoch : request.epoch),
      .key_round(does_look ? row_round : request.round),
      .elements(present.elements), .sources, .receives(plan.receives), .combine, .got(got_here), .count(count_here),
      .ready_valid, .ready_stray, .ready_place, .ready_payload,
      .header(request), .payload, .is_held, .is_full,
      .insert, .remove, .drop(does_retire)
  );

  // ---- the response
  assign txp_valid = takes && !stray;
  always_comb begin
    response = request;
    response.kind = early && !is_held && is_full ? be_pkg::NACK : be_pkg::ACK;
    response.words = '0;
    response.reserved = 1'b0;
    response.source = request.destination;
    response.destination = request.source;
  end

  // ---- the accepted notification, and the end of its processing
  logic accept, finish, over;
  logic [PEERS-1:0] accept_place, busy_place;
  logic [VALUE_WORDS-1:0] result_write;
  logic [63:0] result;
  assign accept = (remove && !ready_stray) || (takes && !stray && !duplicate && !early);
  assign accept_place = does_look ? ready_place : request_place;
  assign finish = over || (accept && present.elements == 0);

  be_combine #(.CONTEXTS(CONTEXTS), .VALUE_WORDS(VALUE_WORDS)) values (
      .clock, .reset,
      .start(accept && present.elements != 0), .start_context(row_context),
      .start_payload(does_look ? ready_payload : payload),
      .busy, .busy_context, .operation(present.operation), .element(present.element), .elements(present.elements),
      .combine, .own_place(plan.own), .count(count_here), .own, .over, .write(result_write), .result
  );

  // A round that receives nothing passes the value on. The next round's value is not read before that round
  // has begun.
  assign value_write = skips ? '1 : round_over ? result_write : '0;
  assign value_round = row_round + 5'd1;
  assign value = skips ? own : {VALUE_WORDS{result}};

  always_ff @(posedge clock) begin
    if (accept) busy_place <= accept_place;
    if (does_retire) low[present.id[IB-1:0]] <= present.epoch + 32'd1;
    if (reset) begin
      active <= '0;
      look <= '0;
      done <= '0;
      has_low <= '0;
      for (int c = 0; c < CONTEXTS; c = c + 1) begin
        rr[c] <= '0;
        got[c] <= '0;
        count[c] <= '0;
      end
    end else begin
      if (post) begin
        active[post_context] <= 1'b1;
        look[post_context] <= 1'b1;
      end
      if (all_over) begin
        done[row_context] <= 1'b1;
        look[row_context] <= 1'b0;
      end
      if (skips) rr[row_context] <= row_round + 5'd1;
      if (does_look && !all_over && !skips && !ready_valid) look[row_context] <= 1'b0;
      if (finish) begin
        got[row_context] <= round_over ? '0 : got_here | (busy ? busy_place : accept_place);
        count[row_context] <= round_over ? '0 : count_after[3:0];
        if (round_over) rr[row_context] <= row_round + 5'd1;
        if (round_over || (busy && combine)) look[row_context] <= 1'b1;
      end
      if (does_retire) begin
        has_low[present.id[IB-1:0]] <= 1'b1;
        active[row_context] <= 1'b0;
        look[row_context] <= 1'b0;
        done[row_context] <= 1'b0;
        rr[row_context] <= '0;
        got[row_context] <= '0;
        count[row_context] <= '0;
      end
    end
  end

`ifndef SYNTHESIS
  be_receive_checks #(.CONTEXTS(CONTEXTS), .PEERS(PEERS)) checks (
      .clock, .reset, .row_context, .row_round, .rounds(present.rounds), .receives(plan.receives), .request,
      .takes, .stray, .past, .current, .request_place, .is_held, .is_full, .insert, .remove, .ready_stray,
      .answered(txp_valid && txp_ready), .response_kind(response.kind),
      .accept, .accept_place, .advance(skips || (finish && round_over)), .complete(all_over), .retire(does_retire)
  );
`endif
endmodule

// BE, the barrier engine of docs/offload-engine.md: executes descriptors of barriers and small allreduces
// without the host (paper 003). All ports are valid/ready and depend on registers alone.
module be_engine #(
    parameter int CONTEXTS = 4,      // descriptors in flight, at most 16
    parameter int ROUNDS = 20,       // of a descriptor, at most 31
    parameter int PEERS = 15,        // sends, and receives, of a round, at most 15
    parameter int VALUE_WORDS = 8,   // of 64 bits, at most 8
    parameter int IDS = 16,          // barrier ids
    parameter int DAMQ_DEPTH = 16,   // of requests; cfg_damq_depth of them are used
    parameter int HDQ_WORDS = 1024,
    parameter int SDQ_DEPTH = 8,
    parameter int FW_DEPTH = 8,
    parameter int RXQ_DEPTH = 2,
    parameter int RXP_DEPTH = 4,
    parameter int TXQ_DEPTH = 2,
    parameter int TXP_DEPTH = 4,
    parameter int WR_DEPTH = 4,
    localparam int DB = $clog2(DAMQ_DEPTH + 1),
    localparam int VB = 64 * VALUE_WORDS
) (
    input  logic          clock,
    input  logic          reset,
    // configuration registers: constant from the first descriptor on
    input  logic [DB-1:0] cfg_damq_depth,   // 1 … DAMQ_DEPTH
    input  logic [  31:0] cfg_backoff,      // cycles before the first retry of a refused notification
    input  logic [  31:0] cfg_timeout,      // cycles before an unanswered notification is sent again
    input  logic [   3:0] cfg_shift_max,    // both double at most this many times
    input  logic          cfg_strict,       // a round also waits for the responses of the previous one
    input  logic [  63:0] cfg_cq_base,      // the completion queue in host memory
    input  logic [  15:0] cfg_cq_mask,      // number of its entries, a power of two, minus 1
    // HDQ: a descriptor written by the host
    input  logic          pio_valid,
    output logic          pio_ready,
    input  logic [  63:0] pio_data,
    input  logic          pio_last,
    // SDQ: a descriptor in host memory, and its words
    input  logic          bell_valid,
    output logic          bell_ready,
    input  logic [  63:0] bell_address,
    input  logic [   9:0] bell_words,
    output logic          rd_valid,
    input  logic          rd_ready,
    output logic [  63:0] rd_address,
    output logic [   9:0] rd_words,
    input  logic          rdata_valid,
    output logic          rdata_ready,
    input  logic [  63:0] rdata_data,
    input  logic          rdata_last,
    // completions
    output logic          wr_valid,
    input  logic          wr_ready,
    output logic [  63:0] wr_address,
    output logic [  63:0] wr_data,
    output logic          wr_last,
    output logic          irq,
    // the network: packets as two header words and a payload, of which only the header's `words` are valid
    input  logic          rxq_valid,
    output logic          rxq_ready,
    input  logic [ 127:0] rxq_header,
    input  logic [VB-1:0] rxq_payload,
    input  logic          rxp_valid,
    output logic          rxp_ready,
    input  logic [ 127:0] rxp_header,
    output logic          txq_valid,
    input  logic          txq_ready,
    output logic [ 127:0] txq_header,
    output logic [VB-1:0] txq_payload,
    output logic          txp_valid,
    input  logic          txp_ready,
    output logic [ 127:0] txp_header
);
  localparam int CB = CONTEXTS > 1 ? $clog2(CONTEXTS) : 1;
  localparam int HB = be_pkg::HEADER_BITS;

  logic [31:0] now;
  always_ff @(posedge clock) now <= reset ? 32'd0 : now + 32'd1;

  // ---- descriptors: HDQ, SDQ, OF
  logic hdq_valid, hdq_pop, fw_valid, fw_pop, free_found, post, refusal_valid, refusal_taken;
  logic [64:0] hdq_word, fw_word;
  logic [CB-1:0] free_context, target, post_context;
  logic [63:0] word;
  logic write_operand, write_plan, write_sends, write_receives, write_header;
  logic [4:0] write_round;
  logic [2:0] write_lane, refusal;
  be_pkg::context_t header;
  logic [CONTEXTS-1:0] active;

  be_fifo #(.WIDTH(65), .DEPTH(HDQ_WORDS)) hdq (
      .clock, .reset, .in_valid(pio_valid), .in_ready(pio_ready), .in_data({pio_last, pio_data}),
      .out_valid(hdq_valid), .out_ready(hdq_pop), .out_data(hdq_word)
  );
  be_fetch #(.SDQ_DEPTH(SDQ_DEPTH), .FW_DEPTH(FW_DEPTH)) fetch (
      .clock, .reset, .bell_valid, .bell_ready, .bell_address, .bell_words,
      .rd_valid, .rd_ready, .rd_address, .rd_words, .rdata_valid, .rdata_ready, .rdata_data, .rdata_last,
      .fw_valid, .fw_pop, .fw_word
  );
  be_lowest #(.COUNT(CONTEXTS)) lowest_free (.requests(~active), .found(free_found), .index(free_context));
  be_dispatch #(
      .CONTEXTS(CONTEXTS), .ROUNDS(ROUNDS), .PEERS(PEERS), .VALUE_WORDS(VALUE_WORDS), .IDS(IDS)
  ) dispatch (
      .clock, .reset, .hdq_valid, .hdq_pop, .hdq_word, .fw_valid, .fw_pop, .fw_word,
      .free_valid(free_found), .free_context, .target, .word,
      .write_operand, .write_plan, .write_sends, .write_receives, .round(write_round), .lane(write_lane),
      .write_header, .header, .post, .post_context, .refusal_valid, .refusal_taken, .refusal
  );

  // ---- contexts, written by OF
  logic [be_pkg::CONTEXT_BITS*CONTEXTS-1:0] contexts;
  logic [16*CONTEXTS-1:0] ids;
  logic [32*CONTEXTS-1:0] epochs;
  logic [5*CONTEXTS-1:0] rounds;
  logic [4*CONTEXTS-1:0] ranks;
  for (genvar c = 0; c < CONTEXTS; c++) begin : g_context
    be_context kept (
        .clock, .write(write_header && target == CB'(c)), .header,
        .present(contexts[be_pkg::CONTEXT_BITS*c+:be_pkg::CONTEXT_BITS]),
        .id(ids[16*c+:16]), .epoch(epochs[32*c+:32]), .rounds(rounds[5*c+:5]), .rank(ranks[4*c+:4])
    );
  end

  logic [CB-1:0] row_context, response_context, send_context, result_context;
  logic [4:0] row_round, send_round, result_round, value_round;
  be_pkg::plan_t plan;
  logic [32*PEERS-1:0] sources;
  logic [3:0] response_sends, sends, send_index;
  logic [31:0] destination;
  logic [VALUE_WORDS-1:0] value_write;
  logic [VB-1:0] value, own, send_value, result;

  be_plans #(.CONTEXTS(CONTEXTS), .ROUNDS(ROUNDS), .PEERS(PEERS)) plans (
      .clock, .write_context(target), .write_round, .write_lane, .write_word(word),
      .write_plan, .write_sends, .write_receives,
      .receive_context(row_context), .receive_round(row_round), .receive_plan(plan), .sources,
      .response_context, .response_round(response.round), .response_sends,
      .send_context, .send_round, .sends, .send_index, .destination
  );
  be_values #(.CONTEXTS(CONTEXTS), .ROUNDS(ROUNDS), .VALUE_WORDS(VALUE_WORDS)) values (
      .clock, .operand_write(write_operand), .operand_context(target), .operand_lane(write_lane), .operand(word),
      .write(value_write), .write_context(row_context), .write_round(value_round), .write_data(value),
      .receive_context(row_context), .receive_round(row_round), .receive_value(own),
      .send_context, .send_round, .send_value, .result_context, .result_round, .result
  );

  // ---- the network side: FIFOs, SE, TE
  be_pkg::header_t request, response, answer, notification;
  logic [VB-1:0] payload;
  logic rxq_out, rxq_pop, rxp_out, txp_in, txp_room, txq_in, txq_room;
  be_fifo #(.WIDTH(HB + VB), .DEPTH(RXQ_DEPTH)) rxq (
      .clock, .reset, .in_valid(rxq_valid), .in_ready(rxq_ready), .in_data({rxq_payload, rxq_header}),
      .out_valid(rxq_out), .out_ready(rxq_pop), .out_data({payload, request})
  );
  // The response DAMQ. One response is taken in every cycle, so it has room for the responses to all
  // notifications in flight.
  be_fifo #(.WIDTH(HB), .DEPTH(RXP_DEPTH)) rxp (
      .clock, .reset, .in_valid(rxp_valid), .in_ready(rxp_ready), .in_data(rxp_header),
      .out_valid(rxp_out), .out_ready(1'b1), .out_data(response)
  );
  be_fifo #(.WIDTH(HB + VB), .DEPTH(TXQ_DEPTH)) txq (
      .clock, .reset, .in_valid(txq_in), .in_ready(txq_room), .in_data({send_value, notification}),
      .out_valid(txq_valid), .out_ready(txq_ready), .out_data({txq_payload, txq_header})
  );
  be_fifo #(.WIDTH(HB), .DEPTH(TXP_DEPTH)) txp (
      .clock, .reset, .in_valid(txp_in), .in_ready(txp_room), .in_data(answer),
      .out_valid(txp_valid), .out_ready(txp_ready), .out_data(txp_header)
  );

  logic [CONTEXTS-1:0] done, reported, all_acked;
  logic [5*CONTEXTS-1:0] rounds_over;
  be_receive #(
      .CONTEXTS(CONTEXTS), .ROUNDS(ROUNDS), .PEERS(PEERS), .VALUE_WORDS(VALUE_WORDS), .IDS(IDS),
      .DAMQ_DEPTH(DAMQ_DEPTH)
  ) receive (
      .clock, .reset, .cfg_damq_depth, .contexts, .ids, .epochs, .post, .post_context,
      .row_context, .row_round, .plan, .sources, .own, .value_write, .value_round, .value,
      .active, .done, .rounds_over, .reported, .all_acked,
      .rxq_valid(rxq_out), .rxq_pop, .request, .payload, .txp_valid(txp_in), .txp_ready(txp_room), .response(answer)
  );
  be_transmit #(.CONTEXTS(CONTEXTS), .ROUNDS(ROUNDS), .PEERS(PEERS)) transmit (
      .clock, .reset, .now, .cfg_backoff, .cfg_timeout, .cfg_shift_max, .cfg_strict,
      .active, .contexts, .ids, .epochs, .rounds, .ranks, .rounds_over, .all_acked,
      .response_context, .response_sends, .send_context, .send_round, .sends, .send_index, .destination,
      .rxp_valid(rxp_out), .response, .txq_valid(txq_in), .txq_ready(txq_room), .notification
  );

  // ---- the host side: CU
  logic wr_in, wr_room, beat_last;
  logic [63:0] beat_address, beat_data;
  be_completion #(.CONTEXTS(CONTEXTS), .VALUE_WORDS(VALUE_WORDS)) completion (
      .clock, .reset, .cfg_cq_base, .cfg_cq_mask, .active, .done, .reported, .contexts,
      .refusal_valid, .refusal_taken, .refusal, .refused(header), .result_context, .result_round, .result,
      .wr_valid(wr_in), .wr_ready(wr_room), .wr_address(beat_address), .wr_data(beat_data), .wr_last(beat_last), .irq
  );
  be_fifo #(.WIDTH(129), .DEPTH(WR_DEPTH)) wr (
      .clock, .reset, .in_valid(wr_in), .in_ready(wr_room), .in_data({beat_last, beat_data, beat_address}),
      .out_valid(wr_valid), .out_ready(wr_ready), .out_data({wr_last, wr_data, wr_address})
  );
endmodule

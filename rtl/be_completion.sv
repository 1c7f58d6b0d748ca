// CU: reports completed collectives and refused descriptors to the host, word by word. The status word is
// written last: a reader that sees it sees the other words, too.
module be_completion #(
    parameter int CONTEXTS = 4,
    parameter int VALUE_WORDS = 8,
    localparam int CB = CONTEXTS > 1 ? $clog2(CONTEXTS) : 1,
    localparam int VB = 64 * VALUE_WORDS
) (
    input  logic                                     clock,
    input  logic                                     reset,
    input  logic                              [63:0] cfg_cq_base,
    input  logic                              [15:0] cfg_cq_mask,
    // per context
    input  logic                      [CONTEXTS-1:0] active,
    input  logic                      [CONTEXTS-1:0] done,
    output logic                      [CONTEXTS-1:0] reported,
    input  logic [be_pkg::CONTEXT_BITS*CONTEXTS-1:0] contexts,
    // a refused descriptor
    input  logic                                     refusal_valid,
    output logic                                     refusal_taken,
    input  logic                              [ 2:0] refusal,
    /* verilator lint_off UNUSEDSIGNAL */
    input  be_pkg::context_t                         refused,
    /* verilator lint_on UNUSEDSIGNAL */
    // the result of result_context
    output logic                            [CB-1:0] result_context,
    output logic                              [ 4:0] result_round,
    input  logic                            [VB-1:0] result,
    // writes to host memory
    output logic                                     wr_valid,
    input  logic                                     wr_ready,
    output logic                              [63:0] wr_address,
    output logic                              [63:0] wr_data,
    output logic                                     wr_last,
    output logic                                     irq
);
  logic beats, found, is_refusal, is_entry;
  logic [CB-1:0] found_context, context_now;
  logic [3:0] beat, elements, word;
  logic [16:0] tail;
  logic [2:0] status;
  logic phase;

  be_lowest #(.COUNT(CONTEXTS)) lowest (
      .requests(active & done & ~reported), .found, .index(found_context)
  );

  // The subject of the current report. A context stays unchanged until it has been reported, and so does a
  // descriptor that OF has refused.
  /* verilator lint_off UNUSEDSIGNAL */
  be_pkg::context_t from_context, subject;
  /* verilator lint_on UNUSEDSIGNAL */
  be_pkg::context_t refused_then;
  assign from_context = contexts[be_pkg::CONTEXT_BITS*context_now+:be_pkg::CONTEXT_BITS];
  assign subject = is_refusal ? refused_then : from_context;
  assign is_entry = is_refusal || subject.completion != be_pkg::BY_MEMORY_WRITE;
  assign elements = is_refusal ? 4'd0 : subject.elements;
  assign result_context = context_now;
  assign result_round = from_context.rounds;
  assign refusal_taken = !beats && refusal_valid;

  // The phase distinguishes an entry from the entry in the same slot one pass over the queue earlier.
  assign phase = !is_entry || (tail & ({1'b0, cfg_cq_mask} + 17'd1)) == 0;

  logic [63:0] base, address, result_word;
  assign base = is_entry ? cfg_cq_base + {41'd0, tail[15:0] & cfg_cq_mask, 7'd0} : subject.cookie;
  assign word = is_entry ? beat - 4'd1 : beat;  // of the result
  always_comb begin
    result_word = '0;
    for (int i = 0; i < VALUE_WORDS; i = i + 1) if (word == 4'(i)) result_word = result[64*i+:64];
    address = base + {57'd0, word, 3'd0} + (is_entry ? 64'd16 : 64'd0);
    wr_address = address;
    wr_data = result_word;
    wr_last = 1'b0;
    if (is_entry && beat == 0) begin
      wr_address = base + 64'd8;
      wr_data = subject.cookie;
    end else if (word == elements) begin
      if (is_entry) wr_address = base;
      wr_data = {7'd0, phase, 5'd0, status, subject.id, subject.epoch};
      wr_last = 1'b1;
    end
  end
  assign wr_valid = beats;

  always_ff @(posedge clock) begin
    if (reset) begin
      beats <= 1'b0;
      reported <= '0;
      tail <= '0;
      irq <= 1'b0;
    end else begin
      irq <= 1'b0;
      reported <= reported & active;
      if (!beats) beats <= refusal_valid || found;
      else if (wr_ready && wr_last) begin
        beats <= 1'b0;
        if (!is_refusal) reported[context_now] <= 1'b1;
        if (is_entry) tail <= tail + 17'd1;
        irq <= subject.completion == be_pkg::BY_INTERRUPT;
      end
    end
    if (!beats) begin
      is_refusal <= refusal_valid;
      refused_then <= refused;
      context_now <= found_context;
      status <= refusal_valid ? refusal : be_pkg::DONE;
      beat <= '0;
    end else if (wr_ready) beat <= beat + 4'd1;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clock)
    if (!reset)
      cu_reports_what_is_done :
      assert (!beats || is_refusal || (active[context_now] && done[context_now] && !reported[context_now]))
      else $error("be_completion: context %0d is reported, but not done or reported twice", context_now);
`endif
endmodule

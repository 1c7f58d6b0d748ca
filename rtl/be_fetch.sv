// The fetch unit of SDQ: one read of host memory per doorbell; the words go to OF.
module be_fetch #(
    parameter int SDQ_DEPTH = 8,
    parameter int FW_DEPTH  = 8
) (
    input  logic        clock,
    input  logic        reset,
    input  logic        bell_valid,
    output logic        bell_ready,
    input  logic [63:0] bell_address,
    input  logic [ 9:0] bell_words,
    output logic        rd_valid,
    input  logic        rd_ready,
    output logic [63:0] rd_address,
    output logic [ 9:0] rd_words,
    input  logic        rdata_valid,
    output logic        rdata_ready,
    input  logic [63:0] rdata_data,
    input  logic        rdata_last,
    output logic        fw_valid,
    input  logic        fw_pop,
    output logic [64:0] fw_word
);
  typedef enum logic [1:0] {IDLE, ASK, FILL} state_t;
  state_t state;

  logic sdq_valid, fw_ready;
  logic [73:0] sdq_head;

  be_fifo #(.WIDTH(74), .DEPTH(SDQ_DEPTH)) sdq (
      .clock, .reset,
      .in_valid(bell_valid), .in_ready(bell_ready), .in_data({bell_words, bell_address}),
      .out_valid(sdq_valid), .out_ready(state == IDLE), .out_data(sdq_head)
  );

  // Words that were not requested must not enter between those of two descriptors.
  assign rdata_ready = state == FILL && fw_ready;

  be_fifo #(.WIDTH(65), .DEPTH(FW_DEPTH)) fw (
      .clock, .reset,
      .in_valid(rdata_valid && rdata_ready), .in_ready(fw_ready), .in_data({rdata_last, rdata_data}),
      .out_valid(fw_valid), .out_ready(fw_pop), .out_data(fw_word)
  );

  assign rd_valid = state == ASK;

  always_ff @(posedge clock) begin
    if (reset) state <= IDLE;
    else
      case (state)
        IDLE: if (sdq_valid && sdq_head[73:64] != 0) state <= ASK;
        ASK: if (rd_ready) state <= FILL;
        default: if (rdata_valid && rdata_ready && rdata_last) state <= IDLE;
      endcase
    if (state == IDLE && sdq_valid) {rd_words, rd_address} <= sdq_head;
  end
endmodule

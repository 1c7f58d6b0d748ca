// The values of an allreduce: SE's processing of an accepted payload, one element at a time, in one pass or
// two. acc := payload, f(own, payload) or f(acc, payload); and then f(acc, own) if the own value is next in
// order.
module be_combine #(
    parameter int CONTEXTS = 4,
    parameter int VALUE_WORDS = 8,
    localparam int CB = CONTEXTS > 1 ? $clog2(CONTEXTS) : 1,
    localparam int VB = 64 * VALUE_WORDS
) (
    input  logic                   clock,
    input  logic                   reset,
    // a payload with elements has been accepted; busy from the next cycle on
    input  logic                   start,
    input  logic          [CB-1:0] start_context,
    input  logic          [VB-1:0] start_payload,
    // the busy context: constant until the operation ends
    output logic                   busy,
    output logic          [CB-1:0] busy_context,
    input  logic             [2:0] operation,
    input  logic             [1:0] element,
    input  logic             [3:0] elements,
    input  logic                   combine,    // else the payload replaces the value
  input  logic             [3:0] own_place,
    input  logic             [3:0] count,
    input  logic          [VB-1:0] own,
    // results: the last cycle, and the data written to the value of the next round (if this ends the round)
    output logic                   over,
    output logic [VALUE_WORDS-1:0] write,
    output logic            [63:0] result
);
  localparam int ROWS = CONTEXTS * VALUE_WORDS;
  localparam int RB = ROWS > 1 ? $clog2(ROWS) : 1;

  logic [VB-1:0] payload;
  logic [3:0] element_next;  // of this pass
  logic is_second;
  logic copies, has_second;
  logic [63:0] own_word, payload_word, acc_word;
  logic done;
  logic [2:0] done_lane;

  assign copies = !is_second && (!combine || (count == 0 && own_place != 0));
  assign has_second = combine && {1'b0, count} + 5'd1 == {1'b0, own_place};

  always_comb begin
    own_word = '0;
    payload_word = '0;
    for (int i = 0; i < VALUE_WORDS; i = i + 1)
      if (element_next == 4'(i)) begin
        own_word = own[64*i+:64];
        payload_word = payload[64*i+:64];
      end
  end

  be_alu alu (
      .clock, .reset, .valid(busy && element_next < elements),
      .copy(copies), .operation, .element, .lane(element_next[2:0]),
      .a(!is_second && count == 0 ? own_word : acc_word), .b(is_second ? own_word : payload_word),
      .done, .done_lane, .result
  );

  function automatic logic [RB-1:0] row(input logic [CB-1:0] of_context, input logic [2:0] of_lane);
    row = RB'(32'(of_context) * VALUE_WORDS + 32'(of_lane));
  endfunction

  // A row is read in the cycle in which its element enters the ALU, after the previous pass has written it.
  be_memory #(.WIDTH(64), .DEPTH(ROWS)) acc (
      .clock, .write(done), .write_address(row(busy_context, done_lane)), .write_data(result),
      .read_address(row(busy_context, element_next[2:0])), .read_data(acc_word)
  );

  logic pass_over;
  assign pass_over = done && {1'b0, done_lane} + 4'd1 == elements;
  assign over = pass_over && (is_second || !has_second);
  always_comb
    for (int i = 0; i < VALUE_WORDS; i = i + 1)
      write[i] = done && done_lane == 3'(i) && (is_second || !has_second);

  always_ff @(posedge clock) begin
    if (reset) busy <= 1'b0;
    else if (start) busy <= 1'b1;
    else if (over) busy <= 1'b0;
    if (start) begin
      payload <= start_payload;
      busy_context <= start_context;
    end
    if (start || pass_over) element_next <= '0;
    else if (element_next < elements) element_next <= element_next + 4'd1;
    if (start) is_second <= 1'b0;
    else if (pass_over) is_second <= 1'b1;
  end
endmodule

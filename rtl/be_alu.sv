// f(a, b) of the allreduce, one element per cycle. The latency depends on the operator alone: 1 for copies
// and integers, 2 for comparisons and 4 for sums of doubles. A pass has one operator, so results never
// collide.
module be_alu (
    input  logic        clock,
    input  logic        reset,
    input  logic        valid,
    input  logic        copy,       // f(a, b) = b, for any operator
    input  logic  [2:0] operation,
    input  logic  [1:0] element,    // type
    input  logic  [2:0] lane,
    input  logic [63:0] a,
    input  logic [63:0] b,
    output logic        done,
    output logic  [2:0] done_lane,
    output logic [63:0] result
);
  logic add, compare;
  assign add = !copy && element == be_pkg::FLOAT64 && operation == be_pkg::SUM;
  assign compare = !copy && element == be_pkg::FLOAT64 &&
                   (operation == be_pkg::MINIMUM || operation == be_pkg::MAXIMUM);

  logic less, equal;
  logic [63:0] whole, whole_1;
  assign equal = a == b;
  assign less = element == be_pkg::INT64 ? $signed(b) < $signed(a) : b < a;
  always_comb begin
    whole = b;
    if (!copy && element != be_pkg::FLOAT64)
      case (operation)
        be_pkg::SUM: whole = a + b;
        be_pkg::MINIMUM: whole = less ? b : a;
        be_pkg::MAXIMUM: whole = less || equal ? a : b;
        be_pkg::BIT_AND: whole = a & b;
        be_pkg::BIT_OR: whole = a | b;
        default: ;
      endcase
  end

  logic [63:0] compared, added;
  be_fcmp fcmp (.clock, .maximum(operation == be_pkg::MAXIMUM), .a, .b, .result(compared));
  be_fadd fadd (.clock, .a, .b, .sum(added));

  logic whole_valid;
  logic [1:0] compare_valid;
  logic [3:0] add_valid;
  logic [2:0] lane_1, lane_2, lane_3, lane_4;
  always_ff @(posedge clock) begin
    if (reset) begin
      whole_valid <= 1'b0;
      compare_valid <= '0;
      add_valid <= '0;
    end else begin
      whole_valid <= valid && !add && !compare;
      compare_valid <= {compare_valid[0], valid && compare};
      add_valid <= {add_valid[2:0], valid && add};
    end
    whole_1 <= whole;
    lane_1 <= lane;
    lane_2 <= lane_1;
    lane_3 <= lane_2;
    lane_4 <= lane_3;
  end

  always_comb begin
    done = whole_valid || compare_valid[1] || add_valid[3];
    result = whole_1;
    done_lane = lane_1;
    if (compare_valid[1]) begin
      result = compared;
      done_lane = lane_2;
    end else if (add_valid[3]) begin
      result = added;
      done_lane = lane_4;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clock)
    if (!reset)
      alu_one_result :
      assert ($onehot0({whole_valid, compare_valid[1], add_valid[3]}))
      else $error("be_alu: two results at once");
`endif
endmodule

// Minimum or maximum of two IEEE 754 doubles in two cycles: b if it is less (greater) than a, otherwise a.
// Zeros are equal; if an operand is NaN, the result is the canonical NaN.
module be_fcmp (
    input  logic        clock,
    input  logic        maximum,
    input  logic [63:0] a,
    input  logic [63:0] b,
    output logic [63:0] result  // of a and b two cycles ago
);
  // Bit patterns mapped to unsigned integers in the order of the numbers.
  logic [63:0] rank_a, rank_b;
  logic any_nan, both_zero;
  assign rank_a = a[63] ? ~a : {1'b1, a[62:0]};
  assign rank_b = b[63] ? ~b : {1'b1, b[62:0]};
  assign any_nan = a[62:0] > 63'h7ff0000000000000 || b[62:0] > 63'h7ff0000000000000;
  assign both_zero = a[62:0] == 0 && b[62:0] == 0;

  logic [63:0] a_1, b_1;
  logic less_1, greater_1, nan_1, maximum_1;
  always_ff @(posedge clock) begin
    a_1 <= a;
    b_1 <= b;
    maximum_1 <= maximum;
    nan_1 <= any_nan;
    less_1 <= rank_b < rank_a && !both_zero;
    greater_1 <= rank_b > rank_a && !both_zero;
  end

  always_ff @(posedge clock)
    if (nan_1) result <= be_pkg::CANONICAL_NAN;
    else result <= (maximum_1 ? greater_1 : less_1) ? b_1 : a_1;
endmodule

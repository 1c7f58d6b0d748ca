// Sum of two IEEE 754 doubles, rounded to nearest even, with subnormals; four stages of one cycle. Any NaN,
// and the difference of infinities, yields the canonical NaN.
module be_fadd (
    input  logic        clock,
    input  logic [63:0] a,
    input  logic [63:0] b,
    output logic [63:0] sum    // of a and b four cycles ago
);
  // 1: order by magnitude; special cases.
  logic swap;
  logic [63:0] greater;
  logic [62:0] lesser;
  assign swap = b[62:0] > a[62:0];
  assign greater = swap ? b : a;
  assign lesser = swap ? a[62:0] : b[62:0];

  logic sign_1, subtract_1, zero_sign_1, nan_1, infinite_1;
  logic [10:0] exponent_1, distance_1;
  logic [52:0] greater_1, lesser_1;
  logic [10:0] greater_exponent, lesser_exponent;
  assign greater_exponent = greater[62:52] == 0 ? 11'd1 : greater[62:52];
  assign lesser_exponent = lesser[62:52] == 0 ? 11'd1 : lesser[62:52];
  always_ff @(posedge clock) begin
    sign_1 <= greater[63];
    subtract_1 <= a[63] ^ b[63];
    zero_sign_1 <= a[63] && b[63];
    exponent_1 <= greater_exponent;
    distance_1 <= greater_exponent - lesser_exponent;
    greater_1 <= {greater[62:52] != 0, greater[51:0]};
    lesser_1 <= {lesser[62:52] != 0, lesser[51:0]};
    infinite_1 <= greater[62:52] == 11'h7ff;
    nan_1 <= (greater[62:52] == 11'h7ff && greater[51:0] != 0) ||
             (greater[62:0] == lesser && greater[62:52] == 11'h7ff && a[63] != b[63]);
  end

  // 2: align, with guard, round and sticky bit, and add.
  logic [55:0] kept, aligned;
  logic [5:0] distance;
  logic lost;
  assign distance = distance_1 > 11'd56 ? 6'd56 : distance_1[5:0];
  assign kept = {lesser_1, 3'b0} >> distance;
  assign lost = (kept << distance) != {lesser_1, 3'b0};
  assign aligned = kept | {55'd0, lost};

  logic sign_2, zero_sign_2, nan_2, infinite_2;
  logic [10:0] exponent_2;
  logic [56:0] total_2;
  always_ff @(posedge clock) begin
    sign_2 <= sign_1;
    zero_sign_2 <= zero_sign_1;
    nan_2 <= nan_1;
    infinite_2 <= infinite_1;
    exponent_2 <= exponent_1;
    total_2 <= subtract_1 ? {1'b0, greater_1, 3'b0} - {1'b0, aligned} : {1'b0, greater_1, 3'b0} + {1'b0, aligned};
  end

  // 3: normalise, limited by the smallest exponent.
  logic [5:0] zeros, shift;
  always_comb begin
    zeros = 6'd56;
    for (int i = 0; i < 56; i = i + 1) if (total_2[i]) zeros = 6'(55 - i);
  end
  assign shift = {5'd0, zeros} < exponent_2 ? zeros : 6'(exponent_2 - 11'd1);

  logic sign_3, zero_sign_3, nan_3, infinite_3;
  logic [10:0] exponent_3;
  logic [55:0] total_3;
  always_ff @(posedge clock) begin
    sign_3 <= sign_2;
    zero_sign_3 <= zero_sign_2;
    nan_3 <= nan_2;
    infinite_3 <= infinite_2 || (total_2[56] && exponent_2 == 11'h7fe);
    if (total_2[56]) begin
      exponent_3 <= exponent_2 + 11'd1;
      total_3 <= {total_2[56:2], total_2[1] | total_2[0]};
    end else begin
      exponent_3 <= exponent_2 - {5'd0, shift};
      total_3 <= total_2[55:0] << shift;
    end
  end

  // 4: round. A carry out of the fraction increments the exponent, up to infinity.
  logic round_up;
  logic [10:0] field;
  assign round_up = total_3[2] && (total_3[1:0] != 0 || total_3[3]);
  assign field = total_3[55] ? exponent_3 : 11'd0;
  always_ff @(posedge clock) begin
    if (nan_3) sum <= be_pkg::CANONICAL_NAN;
    else if (infinite_3) sum <= {sign_3, 11'h7ff, 52'd0};
    else if (total_3 == 0) sum <= {zero_sign_3, 63'd0};
    else sum <= {sign_3, {field, total_3[54:3]} + {62'd0, round_up}};
  end
endmodule

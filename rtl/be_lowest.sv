// Finds the lowest 1 bit: the "lowest" context, or the lowest entry of the DAMQ.
module be_lowest #(
    parameter int COUNT = 4,
    localparam int BITS = COUNT > 1 ? $clog2(COUNT) : 1
) (
    input  logic [COUNT-1:0] requests,
    output logic             found,
    output logic [ BITS-1:0] index
);
  assign found = requests != 0;

  always_comb begin : choose
    integer i;
    index = '0;
    for (i = COUNT - 1; i >= 0; i = i - 1) if (requests[i]) index = BITS'(i);
  end
endmodule

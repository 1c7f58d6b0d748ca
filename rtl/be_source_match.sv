// Index of a source in the receive list of a context's current round, and whether its value is next in order.
module be_source_match #(
    parameter int PEERS = 15
) (
    input  logic          [31:0] source,
    input  logic  [32*PEERS-1:0] sources,
    input  logic           [3:0] receives,  // length of the list
  input  logic                 combine,   // accept in the order of the list
    input  logic     [PEERS-1:0] got,
    input  logic           [3:0] count,
    output logic                 in_list,
    output logic     [PEERS-1:0] place,    // one-hot: the first match in the list
    output logic                 is_next,
    output logic                 is_taken
);
  logic [PEERS-1:0] hits, accepted;

  always_comb
    for (int i = 0; i < PEERS; i = i + 1) begin
      hits[i] = 4'(i) < receives && sources[32*i+:32] == source;
      accepted[i] = combine ? 4'(i) < count : got[i];
    end

  assign in_list = hits != 0;
  assign place = hits & (~hits + 1'b1);
  assign is_taken = (place & accepted) != 0;

  // Sums of doubles depend on the order, so values are combined in list order.
  always_comb begin
    is_next = in_list && !is_taken;
    if (combine) begin
      is_next = 1'b0;
      for (int i = 0; i < PEERS; i = i + 1) if (count == 4'(i)) is_next = place[i];
    end
  end
endmodule

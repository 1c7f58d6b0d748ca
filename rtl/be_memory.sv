// A memory with one write port and combinational reads: one instance per reader, so that a synthesis tool can
// use small RAMs with one port each. Undefined until it is written.
module be_memory #(
    parameter int WIDTH = 64,
    parameter int DEPTH = 16,
    localparam int AB = DEPTH > 1 ? $clog2(DEPTH) : 1
) (
    input  logic             clock,
    input  logic             write,
    input  logic [   AB-1:0] write_address,
    input  logic [WIDTH-1:0] write_data,
    input  logic [   AB-1:0] read_address,
    output logic [WIDTH-1:0] read_data
);
  logic [WIDTH-1:0] words[0:DEPTH-1];

  assign read_data = words[read_address];

  always_ff @(posedge clock) if (write) words[write_address] <= write_data;
endmodule

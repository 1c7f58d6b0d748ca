// A FIFO of registers. `in_ready` and `out_valid` depend on registers alone, so chains of FIFOs have no
// combinational path through them: an item that enters in a cycle leaves in a later one.
module be_fifo #(
    parameter int WIDTH = 64,
    parameter int DEPTH = 2
) (
    input  logic             clock,
    input  logic             reset,
    input  logic             in_valid,
    output logic             in_ready,
    input  logic [WIDTH-1:0] in_data,
    output logic             out_valid,
    input  logic             out_ready,
    output logic [WIDTH-1:0] out_data
);
  localparam int POINTER_BITS = DEPTH > 1 ? $clog2(DEPTH) : 1;
  localparam int COUNT_BITS = $clog2(DEPTH + 1);
  localparam logic [POINTER_BITS-1:0] LAST = POINTER_BITS'(DEPTH - 1);

  logic [WIDTH-1:0] items[0:DEPTH-1];
  logic [POINTER_BITS-1:0] oldest, free;
  logic [COUNT_BITS-1:0] count;
  logic push, pop;

  assign in_ready = count != COUNT_BITS'(DEPTH);
  assign out_valid = count != 0;
  assign out_data = items[oldest];
  assign push = in_valid && in_ready;
  assign pop = out_valid && out_ready;

  always_ff @(posedge clock) begin
    if (push) items[free] <= in_data;
    if (reset) begin
      oldest <= '0;
      free   <= '0;
      count  <= '0;
    end else begin
      if (push) free <= free == LAST ? '0 : free + 1'b1;
      if (pop) oldest <= oldest == LAST ? '0 : oldest + 1'b1;
      if (push && !pop) count <= count + 1'b1;
      if (pop && !push) count <= count - 1'b1;
    end
  end

`ifndef SYNTHESIS
  // The pointers delimit the stored items: none is overwritten, none is read twice.
  always_ff @(posedge clock)
    if (!reset)
      fifo_consistent :
      assert (int'(count) <= DEPTH && (int'(oldest) + int'(count)) % DEPTH == int'(free))
      else $error("be_fifo: %0d items between %0d and %0d", count, oldest, free);
`endif
endmodule

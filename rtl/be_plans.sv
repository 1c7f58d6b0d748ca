// The rounds of all contexts: OF writes them, SE reads a whole row of sources at once, TE reads one
// destination.
module be_plans #(
    parameter int CONTEXTS = 4,
    parameter int ROUNDS = 20,
    parameter int PEERS = 15,
    localparam int CB = CONTEXTS > 1 ? $clog2(CONTEXTS) : 1
) (
    input  logic                clock,
    // OF
    input  logic       [CB-1:0] write_context,
    input  logic          [4:0] write_round,
    input  logic          [2:0] write_lane,
    input  logic         [63:0] write_word,
    input  logic                write_plan,
    input  logic                write_sends,
    input  logic                write_receives,
    // SE
    input  logic       [CB-1:0] receive_context,
    input  logic          [4:0] receive_round,
    output be_pkg::plan_t       receive_plan,
    output logic [32*PEERS-1:0] sources,
    // TE: the round of a response, and the round to send from
    input  logic       [CB-1:0] response_context,
    input  logic          [4:0] response_round,
    output logic          [3:0] response_sends,
    input  logic       [CB-1:0] send_context,
    input  logic          [4:0] send_round,
    output logic          [3:0] sends,
    input  logic          [3:0] send_index,
    output logic         [31:0] destination
);
  localparam int ROWS = CONTEXTS * ROUNDS;
  localparam int RB = ROWS > 1 ? $clog2(ROWS) : 1;
  localparam int LANES = (PEERS + 1) / 2;

  function automatic logic [RB-1:0] row(input logic [CB-1:0] of_context, input logic [4:0] of_round);
    row = RB'(32'(of_context) * ROUNDS + 32'(of_round));
  endfunction

  logic [RB-1:0] write_row, receive_row, response_row, send_row;
  assign write_row = row(write_context, write_round);
  assign receive_row = row(receive_context, receive_round);
  assign response_row = row(response_context, response_round);
  assign send_row = row(send_context, send_round);

  be_pkg::plan_t written;
  always_comb begin
    written.sends = write_word[3:0];
    written.receives = write_word[11:8];
    written.action = write_word[17:16];
    written.own = write_word[27:24];
  end

  be_memory #(.WIDTH(be_pkg::PLAN_BITS), .DEPTH(ROWS)) receive_plans (
      .clock, .write(write_plan), .write_address(write_row), .write_data(written),
      .read_address(receive_row), .read_data(receive_plan)
  );
  be_memory #(.WIDTH(4), .DEPTH(ROWS)) response_plans (
      .clock, .write(write_plan), .write_address(write_row), .write_data(written.sends),
      .read_address(response_row), .read_data(response_sends)
  );
  be_memory #(.WIDTH(4), .DEPTH(ROWS)) send_plans (
      .clock, .write(write_plan), .write_address(write_row), .write_data(written.sends),
      .read_address(send_row), .read_data(sends)
  );

  // A word of a descriptor holds two ranks; each pair has its own memory. With an odd number of peers the
  // last half of a row is never used.
  /* verilator lint_off UNUSEDSIGNAL */
  logic [64*LANES-1:0] source_pairs, destination_pairs;
  /* verilator lint_on UNUSEDSIGNAL */
  for (genvar l = 0; l < LANES; l++) begin : g_lane
    be_memory #(.WIDTH(64), .DEPTH(ROWS)) source_lane (
        .clock, .write(write_receives && write_lane == 3'(l)), .write_address(write_row), .write_data(write_word),
        .read_address(receive_row), .read_data(source_pairs[64*l+:64])
    );
    be_memory #(.WIDTH(64), .DEPTH(ROWS)) destination_lane (
        .clock, .write(write_sends && write_lane == 3'(l)), .write_address(write_row), .write_data(write_word),
        .read_address(send_row), .read_data(destination_pairs[64*l+:64])
    );
  end

  assign sources = source_pairs[32*PEERS-1:0];
  always_comb begin
    destination = '0;
    for (int i = 0; i < PEERS; i = i + 1) if (send_index == 4'(i)) destination = destination_pairs[32*i+:32];
  end
endmodule

// value[c][r], the value in the notifications of round r: row 0 is the operand, written by OF; SE writes the
// others. SE, TE and CU each read a row.
module be_values #(
    parameter int CONTEXTS = 4,
    parameter int ROUNDS = 20,
    parameter int VALUE_WORDS = 8,
    localparam int CB = CONTEXTS > 1 ? $clog2(CONTEXTS) : 1,
    localparam int VB = 64 * VALUE_WORDS
) (
    input  logic                   clock,
    // OF
    input  logic                   operand_write,
    input  logic          [CB-1:0] operand_context,
    input  logic             [2:0] operand_lane,
    input  logic            [63:0] operand,
    // SE; `write_round` is not 0
    input  logic [VALUE_WORDS-1:0] write,
    input  logic          [CB-1:0] write_context,
    input  logic             [4:0] write_round,
    input  logic          [VB-1:0] write_data,
    input  logic          [CB-1:0] receive_context,
    input  logic             [4:0] receive_round,
    output logic          [VB-1:0] receive_value,
    // TE
    input  logic          [CB-1:0] send_context,
    input  logic             [4:0] send_round,
    output logic          [VB-1:0] send_value,
    // CU
    input  logic          [CB-1:0] result_context,
    input  logic             [4:0] result_round,
    output logic          [VB-1:0] result
);
  localparam int ROWS = CONTEXTS * ROUNDS;
  localparam int RB = ROWS > 1 ? $clog2(ROWS) : 1;

  // Round 0 is stored elsewhere; its row index here is not used.
  function automatic logic [RB-1:0] row(input logic [CB-1:0] of_context, input logic [4:0] of_round);
    row = RB'(32'(of_context) * ROUNDS + 32'(of_round) - 1);
  endfunction

  logic [RB-1:0] write_row, receive_row, send_row, result_row;
  assign write_row = row(write_context, write_round);
  assign receive_row = row(receive_context, receive_round);
  assign send_row = row(send_context, send_round);
  assign result_row = row(result_context, result_round);

  logic [VB-1:0] receive_operand, send_operand, result_operand, receive_later, send_later, result_later;
  assign receive_value = receive_round == 0 ? receive_operand : receive_later;
  assign send_value = send_round == 0 ? send_operand : send_later;
  assign result = result_round == 0 ? result_operand : result_later;

  for (genvar l = 0; l < VALUE_WORDS; l++) begin : g_lane
    logic operand_here;
    assign operand_here = operand_write && operand_lane == 3'(l);
    be_memory #(.WIDTH(64), .DEPTH(CONTEXTS)) operand_receive (
        .clock, .write(operand_here), .write_address(operand_context), .write_data(operand),
        .read_address(receive_context), .read_data(receive_operand[64*l+:64])
    );
    be_memory #(.WIDTH(64), .DEPTH(CONTEXTS)) operand_send (
        .clock, .write(operand_here), .write_address(operand_context), .write_data(operand),
        .read_address(send_context), .read_data(send_operand[64*l+:64])
    );
    be_memory #(.WIDTH(64), .DEPTH(CONTEXTS)) operand_result (
        .clock, .write(operand_here), .write_address(operand_context), .write_data(operand),
        .read_address(result_context), .read_data(result_operand[64*l+:64])
    );
    be_memory #(.WIDTH(64), .DEPTH(ROWS)) later_receive (
        .clock, .write(write[l]), .write_address(write_row), .write_data(write_data[64*l+:64]),
        .read_address(receive_row), .read_data(receive_later[64*l+:64])
    );
    be_memory #(.WIDTH(64), .DEPTH(ROWS)) later_send (
        .clock, .write(write[l]), .write_address(write_row), .write_data(write_data[64*l+:64]),
        .read_address(send_row), .read_data(send_later[64*l+:64])
    );
    be_memory #(.WIDTH(64), .DEPTH(ROWS)) later_result (
        .clock, .write(write[l]), .write_address(write_row), .write_data(write_data[64*l+:64]),
        .read_address(result_row), .read_data(result_later[64*l+:64])
    );
  end
endmodule

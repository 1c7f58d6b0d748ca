// The header of the descriptor that a context executes.
module be_context (
    input  logic             clock,
    input  logic             write,
    input  be_pkg::context_t header,
    output be_pkg::context_t present,
    output logic      [15:0] id,
    output logic      [31:0] epoch,
    output logic       [4:0] rounds,
    output logic       [3:0] rank     // modulo 16
);
  always_ff @(posedge clock) if (write) present <= header;

  assign id = present.id;
  assign epoch = present.epoch;
  assign rounds = present.rounds;
  assign rank = present.rank[3:0];
endmodule

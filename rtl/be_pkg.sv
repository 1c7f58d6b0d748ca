// Shared definitions of the barrier engine: the layout of packets and the contents of a context.
// docs/offload-engine.md is the specification; src/offload/nic is the same engine in C++.
package be_pkg;

  // The two header words of a packet, word 1 in the upper half. The payload has separate wires.
  typedef struct packed {
    logic [31:0] destination;
    logic [31:0] source;
    logic [31:0] epoch;
    logic [15:0] id;
    logic        reserved;
    logic [3:0]  send;   // index in the round's send list; responses echo it
    logic [3:0]  words;  // length of the payload
    logic [4:0]  round;
    logic [1:0]  kind;
  } header_t;

  localparam int HEADER_BITS = 128;

  localparam logic [1:0] NOTIFICATION = 2'd1;
  localparam logic [1:0] ACK = 2'd2;
  localparam logic [1:0] NACK = 2'd3;

  // The fields of a descriptor's header that the engine needs after OF has checked it.
  typedef struct packed {
    logic [63:0] cookie;  // or the address of a memory write
    logic [31:0] rank;
    logic [31:0] epoch;
    logic [15:0] id;
    logic [3:0]  elements;
    logic [4:0]  rounds;
    logic [1:0]  element;     // its type
    logic [2:0]  operation;
    logic [1:0]  completion;
  } context_t;

  localparam int CONTEXT_BITS = 160;

  localparam logic [1:0] BY_MEMORY_WRITE = 2'd2;
  localparam logic [1:0] BY_INTERRUPT = 2'd3;

  localparam logic [2:0] SUM = 3'd1;
  localparam logic [2:0] MINIMUM = 3'd2;
  localparam logic [2:0] MAXIMUM = 3'd3;
  localparam logic [2:0] BIT_AND = 3'd4;
  localparam logic [2:0] BIT_OR = 3'd5;

  localparam logic [1:0] INT64 = 2'd1;
  localparam logic [1:0] FLOAT64 = 2'd3;

  // One round, without its lists.
  typedef struct packed {
    logic [3:0] own;       // number of received values left of the own one
    logic [1:0] action;    // applied to the received values
    logic [3:0] receives;  // lengths of the lists
    logic [3:0] sends;
  } plan_t;

  localparam int PLAN_BITS = 14;

  localparam logic [1:0] COMBINE = 2'd1;

  // Status of a completion.
  localparam logic [2:0] DONE = 3'd1;
  localparam logic [2:0] BAD_FORMAT = 3'd2;
  localparam logic [2:0] BAD_LIMITS = 3'd3;
  localparam logic [2:0] BAD_LENGTH = 3'd4;
  localparam logic [2:0] BAD_CHECKSUM = 3'd5;
  localparam logic [2:0] BAD_EPOCH = 3'd6;

  // Replaces every NaN result: the reader need not distinguish NaNs.
  localparam logic [63:0] CANONICAL_NAN = 64'h7ff8000000000000;

endpackage

// The request DAMQ: notifications that arrived before their round. Entries are found by content, because all
// queues share the memory and the order does not matter.
module be_request_damq #(
    parameter int DEPTH = 16,
    parameter int PEERS = 15,
    parameter int VALUE_WORDS = 8,
    localparam int DB = $clog2(DEPTH + 1),
    localparam int EB = DEPTH > 1 ? $clog2(DEPTH) : 1
) (
    input  logic                         clock,
    input  logic                         reset,
    input  logic                [DB-1:0] cfg_depth,   // entries 0 … cfg_depth - 1 are used
    // key of the entries to find
    input  logic                  [15:0] key_id,
    input  logic                  [31:0] key_epoch,
    input  logic                   [4:0] key_round,
    // the context's current round; valid if the context has the key
    input  logic                   [3:0] elements,
    input  logic          [32*PEERS-1:0] sources,
    input  logic                   [3:0] receives,
    input  logic                         combine,
    input  logic             [PEERS-1:0] got,
    input  logic                   [3:0] count,
    // the lowest entry with the key that can leave
    output logic                         ready_valid,
    output logic                         ready_stray,
    output logic             [PEERS-1:0] ready_place,
    output logic [   64*VALUE_WORDS-1:0] ready_payload,
    // the packet at the head of RXQ, which has the key
    /* verilator lint_off UNUSEDSIGNAL */
    input  be_pkg::header_t              header,
    /* verilator lint_on UNUSEDSIGNAL */
    input  logic [   64*VALUE_WORDS-1:0] payload,
    output logic                         is_held,
    output logic                         is_full,
    // at most one of these per cycle
    input  logic                         insert,
    input  logic                         remove,      // removes the ready entry
    input  logic                         drop         // all entries with the key's id and epoch
);
  logic [DEPTH-1:0] used, ready, stray, holds, of_barrier, vacant, next;
  logic [EB-1:0] next_entry, ready_entry;
  logic [PEERS*DEPTH-1:0] places;
  logic has_vacant;

  for (genvar e = 0; e < DEPTH; e++) begin : g_entry
    logic [15:0] id;
    logic [31:0] epoch, source;
    logic [4:0] round;
    logic [3:0] words;
    logic in_list, is_next, fits;
    /* verilator lint_off UNUSEDSIGNAL */
    logic is_taken;
    /* verilator lint_on UNUSEDSIGNAL */

    be_source_match #(.PEERS(PEERS)) match (
        .source, .sources, .receives, .combine, .got, .count,
        .in_list, .place(places[PEERS*e+:PEERS]), .is_next, .is_taken
    );
    assign of_barrier[e] = used[e] && id == key_id && epoch == key_epoch;
    assign fits = of_barrier[e] && round == key_round;
    assign holds[e] = fits && source == header.source && words == header.words;
    assign stray[e] = words != elements || !in_list;
    assign ready[e] = fits && (stray[e] || is_next);
    assign vacant[e] = !used[e] && DB'(e) < cfg_depth;

    always_ff @(posedge clock) begin
      if (insert && next[e]) begin
        id <= header.id;
        epoch <= header.epoch;
        source <= header.source;
        round <= header.round;
        words <= header.words;
      end
      if (reset) used[e] <= 1'b0;
      else if (insert && next[e]) used[e] <= 1'b1;
      else if ((remove && ready_entry == EB'(e)) || (drop && of_barrier[e])) used[e] <= 1'b0;
    end
  end

  be_lowest #(.COUNT(DEPTH)) lowest_ready (.requests(ready), .found(ready_valid), .index(ready_entry));
  be_lowest #(.COUNT(DEPTH)) lowest_vacant (.requests(vacant), .found(has_vacant), .index(next_entry));
  assign next = vacant & (~vacant + 1'b1);
  assign is_held = holds != 0;
  assign is_full = !has_vacant;
  assign ready_stray = stray[ready_entry];
  always_comb begin
    ready_place = '0;
    for (int e = 0; e < DEPTH; e = e + 1) if (ready_entry == EB'(e)) ready_place = places[PEERS*e+:PEERS];
  end

  be_memory #(.WIDTH(64 * VALUE_WORDS), .DEPTH(DEPTH)) payloads (
      .clock, .write(insert), .write_address(next_entry), .write_data(payload),
      .read_address(ready_entry), .read_data(ready_payload)
  );

`ifndef SYNTHESIS
  // No acknowledged entry is overwritten, and no notification is acknowledged without an entry.
  always_ff @(posedge clock)
    if (!reset) begin
      damq_no_overflow :
      assert (!insert || (!is_full && (used & next) == 0 && next != 0))
      else $error("be_request_damq: a notification enters a full DAMQ");
      damq_leaves_once :
      assert (!remove || (ready_valid && used[ready_entry]))
      else $error("be_request_damq: a notification leaves twice");
    end
`endif
endmodule

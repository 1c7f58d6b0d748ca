// Finds a context that is over: completed, reported to the host, and with all its notifications acknowledged.
// Contexts of one barrier id retire in the order of their epochs, so that "all epochs before this one"
// describes the past of an id completely.
module be_retire #(
    parameter int CONTEXTS = 4,
    localparam int CB = CONTEXTS > 1 ? $clog2(CONTEXTS) : 1
) (
    input  logic [           CONTEXTS-1:0] active,
    input  logic [           CONTEXTS-1:0] over,      // by the state of the context alone
    input  logic [        16*CONTEXTS-1:0] ids,
    input  logic [        32*CONTEXTS-1:0] epochs,
    output logic                           found,
    output logic [                 CB-1:0] index
);
  logic [CONTEXTS-1:0] may;

  always_comb
    for (int c = 0; c < CONTEXTS; c = c + 1) begin
      may[c] = active[c] && over[c];
      for (int other = 0; other < CONTEXTS; other = other + 1)
        if (other != c && active[other] && ids[16*other+:16] == ids[16*c+:16] &&
            $signed(epochs[32*other+:32] - epochs[32*c+:32]) < 0)
          may[c] = 1'b0;
    end

  be_lowest #(.COUNT(CONTEXTS)) lowest (.requests(may), .found, .index);
endmodule

// OF: reads descriptors word by word into a free context, checks them, and posts them to SE and TE. A refused
// descriptor is read to its end and reported; it leaves only data in an inactive context, which no module
// reads.
module be_dispatch #(
    parameter int CONTEXTS = 4,
    parameter int ROUNDS = 20,
    parameter int PEERS = 15,
    parameter int VALUE_WORDS = 8,
    parameter int IDS = 16,
    localparam int CB = CONTEXTS > 1 ? $clog2(CONTEXTS) : 1
) (
    input  logic                clock,
    input  logic                reset,
    // words from the host
    input  logic                hdq_valid,
    output logic                hdq_pop,
    input  logic         [64:0] hdq_word,
    input  logic                fw_valid,
    output logic                fw_pop,
    input  logic         [64:0] fw_word,
    // the lowest context that is not active
    input  logic                free_valid,
    input  logic       [CB-1:0] free_context,
    // fields of the descriptor, written while it is read, for context `target`
    output logic       [CB-1:0] target,
    output logic         [63:0] word,
    output logic                write_operand,  // value[0], word `lane`
    output logic                write_plan,     // of round `round`
    output logic                write_sends,    // two ranks of its lists, at 2 × `lane`
    output logic                write_receives,
    output logic          [4:0] round,
    output logic          [2:0] lane,
    // its header, if there was no error
    output logic                write_header,
    output be_pkg::context_t    header,
    output logic                post,
    output logic       [CB-1:0] post_context,
    // the refused descriptor
    output logic                refusal_valid,
    input  logic                refusal_taken,
    output logic          [2:0] refusal
);
  typedef enum logic [2:0] {IDLE, WORDS, DRAIN, CHECK, POST, SETTLE, ERROR} state_t;
  typedef enum logic [2:0] {HEADER, OPERAND, ROUND, SENDS, RECEIVES} place_t;
  localparam logic [31:0] MAGIC = 32'h52414254;  // "TBAR"
  localparam int IB = IDS > 1 ? $clog2(IDS) : 1;

  state_t state;
  place_t place, next_place;
  logic from_hdq, source_valid, last, is_end;
  logic [9:0] words;  // words read before this one
  logic [15:0] length;
  logic [3:0] left, next_left;  // operands, or ranks of the list
  logic [3:0] receives;
  logic [4:0] next_round;
  logic [2:0] next_lane;
  logic [31:0] crc, crc_expected;
  logic [2:0] word_bad;

  // The earliest valid next epoch per id; 0 until the first one was posted.
  logic [31:0] next_epoch[0:IDS-1];
  logic [IDS-1:0] has_next;
  logic [31:0] lowest_epoch;

  assign source_valid = from_hdq ? hdq_valid : fw_valid;
  assign {last, word} = from_hdq ? hdq_word : fw_word;
  assign hdq_pop = (state == WORDS || state == DRAIN) && from_hdq;
  assign fw_pop = (state == WORDS || state == DRAIN) && !from_hdq;

  logic take;
  assign take = state == WORDS && source_valid;
  assign write_operand = take && place == OPERAND;
  assign write_plan = take && place == ROUND;
  assign write_sends = take && place == SENDS;
  assign write_receives = take && place == RECEIVES;
  assign write_header = state == POST;

  assign lowest_epoch = has_next[header.id[IB-1:0]] ? next_epoch[header.id[IB-1:0]] : 32'd0;

  // Errors in this word.
  always_comb begin
    word_bad = '0;
    if (place == HEADER)
      case (words[2:0])
        3'd0:
        if (word[31:0] != MAGIC || word[39:32] != 8'd1 || word[63:56] != 8'd0 ||
            word[47:40] < 8'd1 || word[47:40] > 8'd2 || word[55:48] < 8'd1 || word[55:48] > 8'd3)
          word_bad = be_pkg::BAD_FORMAT;
        3'd1:
        if (word[31:24] > 8'd5 || word[39:32] > 8'd3) word_bad = be_pkg::BAD_FORMAT;
        else if (word[23:16] > 8'(ROUNDS) || word[47:40] > 8'(VALUE_WORDS) || {16'd0, word[63:48]} >= 32'(IDS))
          word_bad = be_pkg::BAD_LIMITS;
        3'd3: if ($signed(word[31:0] - lowest_epoch) < 0) word_bad = be_pkg::BAD_EPOCH;
        default: ;
      endcase
    else if (place == ROUND) begin
      if (word[23:16] > 8'd2) word_bad = be_pkg::BAD_FORMAT;
      else if (word[7:0] > 8'(PEERS) || word[15:8] > 8'(PEERS) || word[31:24] > word[15:8])
        word_bad = be_pkg::BAD_LIMITS;
    end
  end

  // The kind of the next word, and whether there is one.
  logic round_over, lists_over;
  always_comb begin
    next_place = place;
    next_left = left;
    next_round = round;
    next_lane = lane + 3'd1;
    round_over = 1'b0;
    lists_over = 1'b0;
    is_end = 1'b0;
    case (place)
      HEADER:
      if (words == 10'd4) begin
        next_place = header.elements != 0 ? OPERAND : ROUND;
        next_left = header.elements;
        next_lane = '0;
        lists_over = header.elements == 0;
      end
      OPERAND: begin
        next_left = left - 4'd1;
        lists_over = left == 4'd1;
      end
      ROUND: begin
        next_lane = '0;
        next_place = word[3:0] != 0 ? SENDS : RECEIVES;
        next_left = word[3:0] != 0 ? word[3:0] : word[11:8];
        round_over = word[3:0] == 0 && word[11:8] == 0;
      end
      SENDS: begin
        next_left = left - 4'd2;
        if (left <= 4'd2) begin
          next_place = RECEIVES;
          next_left = receives;
          next_lane = '0;
          round_over = receives == 0;
        end
      end
      default: begin
        next_left = left - 4'd2;
        round_over = left <= 4'd2;
      end
    endcase
    if (round_over) begin
      next_place = ROUND;
      next_round = round + 5'd1;
      is_end = next_round == header.rounds;
    end else if (lists_over) begin
      next_place = ROUND;
      is_end = header.rounds == 0;
    end
  end

  always_ff @(posedge clock) begin
    if (reset) begin
      state <= IDLE;
      from_hdq <= 1'b0;
      has_next <= '0;
      post <= 1'b0;
      refusal_valid <= 1'b0;
    end else
      case (state)
        IDLE:
        if (free_valid && (hdq_valid || fw_valid)) begin
          from_hdq <= hdq_valid;
          state <= WORDS;
        end
        WORDS:
        if (source_valid) begin
          if (word_bad != 0 || is_end) state <= last ? CHECK : DRAIN;
          else if (last) state <= CHECK;
        end
        DRAIN: if (source_valid && last) state <= CHECK;
        CHECK: state <= refusal == 0 && ~crc == crc_expected ? POST : ERROR;
        POST: begin
          post <= 1'b1;
          has_next[header.id[IB-1:0]] <= 1'b1;
          state <= SETTLE;
        end
        SETTLE: begin
          post <= 1'b0;
          state <= IDLE;
        end
        default: begin
          refusal_valid <= !(refusal_valid && refusal_taken);
          if (refusal_valid && refusal_taken) state <= IDLE;
        end
      endcase
  end

  // Registers that IDLE sets before their first use.
  always_ff @(posedge clock) begin
    case (state)
      IDLE: begin
        target <= free_context;
        place <= HEADER;
        words <= '0;
        round <= '0;
        crc <= '1;
        refusal <= '0;
        header <= '0;
      end
      WORDS:
      if (source_valid) begin
        words <= words + 10'd1;
        crc <= crc_of(crc, place == HEADER && words == 10'd3 ? {32'd0, word[31:0]} : word);
        place <= next_place;
        left <= next_left;
        round <= next_round;
        lane <= next_lane;
        if (place == ROUND) receives <= word[11:8];
        if (place == HEADER)
          case (words[2:0])
            3'd0: header.completion <= word[55:50] == 0 ? word[49:48] : 2'd0;
            3'd1: begin
              length <= word[15:0];
              header.rounds <= word[20:16];
              header.operation <= word[26:24];
              header.element <= word[33:32];
              header.elements <= word[43:40];
              header.id <= word[63:48];
            end
            3'd2: header.rank <= word[63:32];
            3'd3: {crc_expected, header.epoch} <= word;
            default: header.cookie <= word;
          endcase
        if (word_bad != 0) refusal <= word_bad;
        else if (is_end != last || (is_end && length != {6'd0, words} + 16'd1)) refusal <= be_pkg::BAD_LENGTH;
      end
      CHECK: if (refusal == 0 && ~crc != crc_expected) refusal <= be_pkg::BAD_CHECKSUM;
      POST: begin
        post_context <= target;
        next_epoch[header.id[IB-1:0]] <= header.epoch + 32'd1;
      end
      default: ;
    endcase
  end

  // CRC-32 (IEEE 802.3, bits reversed), extended by one word.
  function automatic logic [31:0] crc_of(input logic [31:0] start, input logic [63:0] data);
    crc_of = start;
    for (int i = 0; i < 64; i = i + 1)
      crc_of = (crc_of >> 1) ^ ((crc_of[0] ^ data[i]) ? 32'hedb88320 : 32'd0);
  endfunction
endmodule

"""The man page and the shells' completions, from the commands that `tutti info --json` lists."""

import re

COMMENT = "Written by docs/generate.py from the options of the command; edit those."


def roff(text):
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-").replace("…", "..."), flags=re.MULTILINE)


def plain(summary):
    """One line without what shells would read."""
    return re.sub(r"[\[\]`'\":\\$]", "", summary).replace("\n", " ")


def value_of(option):
    if not option["takes_value"]:
        return ""
    return "|".join(option["choices"]) if option.get("choices") else "value"


def walk(commands, before=()):
    """(words, command) of each that does something itself."""
    for command in commands:
        words = (*before, command["name"])
        if command["commands"]:
            yield from walk(command["commands"], words)
        else:
            yield words, command


def synopsis(commands):
    lines = [".SH SYNOPSIS"]
    for words, command in walk(commands):
        parts = [f"\\fBtutti {roff(' '.join(words))}\\fR"]
        parts += [f"\\fI{roff(argument['name'])}\\fR" if argument["is_required"] else f"[\\fI{roff(argument['name'])}\\fR]"
                  for argument in command["arguments"]]
        parts += [f"\\fB{roff(option['names'][-1])}\\fR \\fI{roff(value_of(option))}\\fR" for option in command["options"]
                  if option["is_required"]]
        parts.append("[\\fIoption\\fR]...")
        if words[0] in ("run", "bench", "tune"):
            parts.append("\\fB\\-\\-\\fR \\fIlauncher\\fR [\\fIargument\\fR]...")
        lines += [" ".join(parts), ".br"]
    return "\n".join(lines[:-1])


def described(command):
    lines = []
    for argument in command["arguments"]:
        lines += [".TP", f"\\fI{roff(argument['name'])}\\fR", roff(argument["summary"])]
    for option in command["options"]:
        if option["names"][-1] == "--help":
            continue
        value = value_of(option)
        default = f" Default: {option['default']}." if option.get("default") else ""
        lines += [".TP", f"\\fB{roff(', '.join(option['names']))}\\fR" + (f" \\fI{roff(value)}\\fR" if value else ""),
                  roff(option["summary"] + default) or "\\&"]
    return lines


def man_commands(commands):
    lines = [".SH COMMANDS"]
    for command in commands:
        lines += [f".SS {roff(command['name'])}", roff(command["summary"])]
        if command["footer"]:
            lines += [".PP", ".nf", roff(command["footer"]), ".fi"]
        lines += described(command)
        for part in command["commands"]:
            lines += [".PP", f"\\fB{roff(command['name'])} {roff(part['name'])}\\fR: {roff(part['summary'])}"]
            lines += [".RS", *described(part), ".RE"]
        if command["name"] in ("bench", "tune"):
            lines += [".PP", f"\\fBtutti {command['name']} \\-\\-help\\fR lists its other options."]
    return "\n".join(lines)


def man_page(template, commands):
    return template.replace("@SYNOPSIS@", synopsis(commands)).replace("@COMMANDS@", man_commands(commands))


def all_commands(commands, before=()):
    for command in commands:
        words = (*before, command["name"])
        yield words, command
        yield from all_commands(command["commands"], words)


BASH = """\
# {comment}
_tutti() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} place=tutti words i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    [[ ${{COMP_WORDS[i]}} == -- ]] && {{ COMPREPLY=($(compgen -c -f -- "$word")); return; }}
    case "$place ${{COMP_WORDS[i]}}" in
      {places}) place="$place ${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$place $before" in
{values}
  esac
  case $place in
{options}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}}
complete -o default -F _tutti tutti
"""


def bash(commands):
    every = [(" ".join(("tutti", *words)), command) for words, command in all_commands(commands)]
    values = [f'    "{place} {option["names"][-1]}") mapfile -t COMPREPLY < <(compgen -W "{" ".join(option["choices"])}" -- '
              f'"$word"); return ;;'
              for place, command in every for option in command["options"] if option.get("choices")]
    top = " ".join([command["name"] for command in commands] + ["--help", "--version"])
    options = [f'    tutti) words="{top}" ;;']
    for place, command in every:
        words = [part["name"] for part in command["commands"]]
        words += [option["names"][-1] for option in command["options"]]
        options.append(f'    "{place}") words="{" ".join(words)}" ;;')
    return BASH.format(comment=COMMENT, places=" | ".join(f'"{place}"' for place, _ in every), values="\n".join(values),
                       options="\n".join(options))


ZSH = """\
#compdef tutti
# {comment}
_tutti() {{
  local place=tutti i
  for ((i = 2; i < CURRENT; ++i)); do
    if [[ $words[i] == -- ]]; then
      shift i words
      ((CURRENT -= i))
      _normal
      return
    fi
    case "$place $words[i]" in
      {places}) place="$place $words[i]" ;;
    esac
  done
  case $place in
{cases}
  esac
}}
_tutti "$@"
"""


def zsh_option(option):
    name, summary = option["names"][-1], plain(option["summary"])
    if not option["takes_value"]:
        return f"'{name}[{summary}]'"
    action = f"({' '.join(option['choices'])})" if option.get("choices") else "_files"
    return f"'*{name}[{summary}]:value:{action}'"


def zsh(commands):
    every = [(" ".join(("tutti", *words)), command) for words, command in all_commands(commands)]
    cases = []
    for place, command in [("tutti", {"commands": commands, "options": []}), *every]:
        if command["commands"]:
            rows = " ".join(f"'{part['name']}:{plain(part['summary'])}'" for part in command["commands"])
            cases.append(f"    {place.replace(' ', chr(92) + ' ')}) local -a parts=({rows}); _describe command parts ;;")
        else:
            rows = " ".join(zsh_option(option) for option in command["options"])
            cases.append(f"    {place.replace(' ', chr(92) + ' ')}) _arguments {rows} '*:file:_files' ;;")
    return ZSH.format(comment=COMMENT, places=" | ".join(f'"{place}"' for place, _ in every), cases="\n".join(cases))

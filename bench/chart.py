"""Charts as SVG without dependencies: lines over sizes, one panel beside the other, and bars, three panels in a row."""

import math
from html import escape

PANEL_WIDTH, PANEL_HEIGHT = 400, 280
LEFT, RIGHT, TOP, BOTTOM = 64, 12, 34, 44
LEGEND_LINE = 18
BAR_PANELS_IN_A_ROW = 3
MOST_NAMED_BARS = 31
COLOURS = ("#1b6ca8", "#d1495b", "#2e8b57", "#8e5ea2", "#e08e0b", "#555555", "#17a2b8", "#a0522d")
MARKS = ("circle", "square", "triangle", "diamond")


class Scale:
    """Values to pixels; the ticks of an axis."""

    def __init__(self, low, high, first_pixel, last_pixel, base=None):
        self.base = base
        if base:
            low, high = math.floor(math.log(low, base) + 1e-9), math.ceil(math.log(high, base) - 1e-9)
        self.low, self.high = low, high if high > low else low + 1
        self.first, self.last = first_pixel, last_pixel

    def pixel(self, value):
        at = math.log(max(value, self.base ** self.low), self.base) if self.base else value
        return self.first + (at - self.low) / (self.high - self.low) * (self.last - self.first)

    def ticks(self):
        if self.base:
            return [self.base ** power for power in range(int(self.low), int(self.high) + 1)]
        return [self.low + (self.high - self.low) * i / 5 for i in range(6)]


def mark(shape, x, y, colour):
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>'
    corners = {"square": ((-3, -3), (3, -3), (3, 3), (-3, 3)), "triangle": ((0, -4), (4, 3), (-4, 3)),
               "diamond": ((0, -4.5), (4.5, 0), (0, 4.5), (-4.5, 0))}[shape]
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
    return f'<polygon points="{points}" fill="{colour}"/>'


def text(x, y, words, anchor="middle", size=11, more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" {more}>{escape(words)}</text>'


def beginning(width, height):
    return [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'font-family="sans-serif">', f'<rect width="{width}" height="{height}" fill="white"/>']


def legend(names, width, top, marks):
    """The legend of the colours, three in a line, from `top` on."""
    lines = []
    for order, name in enumerate(names):
        x, y = LEFT + order % 3 * (width - LEFT) / 3, top + order // 3 * LEGEND_LINE
        lines += [mark(marks[order % len(marks)], x, y - 4, COLOURS[order % len(COLOURS)]),
                  text(x + 10, y, name, anchor="start")]
    return lines


def x_axis(x_scale, y_scale, x_text):
    """The x axis of a line chart: a stroke up from each tick."""
    bottom, top = y_scale.first, y_scale.last
    lines = []
    for value in x_scale.ticks():
        x = x_scale.pixel(value)
        lines += [f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}" stroke="#e4e4e4"/>',
                  text(x, bottom + 16, x_text(value))]
    return lines


def frame(left, y_scale, y_text, title, y_label):
    """A panel without its x axis: title, y axis and border."""
    right, bottom, top = left + PANEL_WIDTH, y_scale.first, y_scale.last
    lines = [text((left + right) / 2, top - 12, title, size=13),
             text(left - 50, (top + bottom) / 2, y_label,
                  more=f'transform="rotate(-90 {left - 50:.1f} {(top + bottom) / 2:.1f})"')]
    for value in y_scale.ticks():
        y = y_scale.pixel(value)
        lines += [f'<line x1="{left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#e4e4e4"/>',
                  text(left - 6, y + 4, y_text(value), anchor="end")]
    lines.append(f'<rect x="{left}" y="{top}" width="{right - left}" height="{bottom - top}" fill="none" stroke="#333"/>')
    return lines


def series_lines(points, x_scale, y_scale, colour, shape):
    """Points are (x, median, least, most): a line through the medians, a stroke over each range."""
    path = " ".join(f"{x_scale.pixel(x):.1f},{y_scale.pixel(median):.1f}" for x, median, _, _ in points)
    lines = [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.8"/>']
    for x, median, least, most in points:
        px = x_scale.pixel(x)
        lines += [f'<line x1="{px:.1f}" y1="{y_scale.pixel(least):.1f}" x2="{px:.1f}" y2="{y_scale.pixel(most):.1f}" '
                  f'stroke="{colour}" stroke-opacity="0.5"/>',
                  mark(shape, px, y_scale.pixel(median), colour)]
    return lines


def y_axis(every, percent, linear):
    """The scale of the points' values, and how a tick of it is written."""
    bottom, top = TOP + PANEL_HEIGHT, TOP
    if percent:
        return Scale(0, 100, bottom, top), lambda value: f"{value:.0f} %"
    most = max(point[3] for point in every)
    if linear:
        return Scale(0, most, bottom, top), lambda value: f"{value:.3g}"
    return Scale(min(point[2] for point in every), most, bottom, top, base=10), lambda value: f"{value:g}"


def chart(panels, x_text, y_label, x_label="message size", percent=False, linear=False):
    """An SVG document. `panels`: (title, {series: [(x, median, least, most), ...]}), with the same y axis, over a
    logarithmic x axis; y in percent, or logarithmic. `linear`: both axes are, and y begins at 0."""
    names = list(dict.fromkeys(name for _, series in panels for name in series))
    every = [point for _, series in panels for points in series.values() for point in points]
    xs = [point[0] for point in every]
    width = len(panels) * (PANEL_WIDTH + LEFT + RIGHT)
    height = TOP + PANEL_HEIGHT + BOTTOM + LEGEND_LINE * ((len(names) + 2) // 3)
    lines = beginning(width, height)
    for number, (title, series) in enumerate(panels):
        left = LEFT + number * (PANEL_WIDTH + LEFT + RIGHT)
        x_scale = Scale(min(xs), max(xs), left, left + PANEL_WIDTH, base=None if linear else 4)
        y_scale, y_text = y_axis(every, percent, linear)
        lines += x_axis(x_scale, y_scale, x_text) + frame(left, y_scale, y_text, title, y_label)
        lines.append(text(left + PANEL_WIDTH / 2, TOP + PANEL_HEIGHT + 33, x_label))
        for name, points in series.items():
            order = names.index(name)
            lines += series_lines(points, x_scale, y_scale, COLOURS[order % len(COLOURS)], MARKS[order % len(MARKS)])
    lines += legend(names, width, TOP + PANEL_HEIGHT + BOTTOM + 8, MARKS)
    return "\n".join([*lines, "</svg>"]) + "\n"


def bar_panel(title, categories, series, left, y_scale, y_label):
    """One group of bars for each category, one bar of it for each series."""
    bottom, step = y_scale.first, PANEL_WIDTH / len(categories)
    has_names = len(categories) <= MOST_NAMED_BARS
    lines = frame(left, y_scale, lambda value: f"{value:g}", title, y_label)
    width = step * (0.8 if has_names else 1) / len(series)
    for order, values in enumerate(series.values()):
        for at, value in enumerate(values):
            x = left + step * (at + 0.5) + width * (order - len(series) / 2)
            y = y_scale.pixel(value)
            lines.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{max(bottom - y, 0):.1f}" '
                         f'fill="{COLOURS[order % len(COLOURS)]}"/>')
    if has_names:
        lines += [text(left + step * (at + 0.5), bottom + 14 + 12 * (at % 2), category, size=9)
                  for at, category in enumerate(categories)]
    return lines


def bars(panels, y_label):
    """An SVG document. `panels`: (title, categories, {series: one value for each category}), over logarithmic axes that
    begin below 1. More than MOST_NAMED_BARS categories have no names."""
    names = list(dict.fromkeys(name for _, _, series in panels for name in series))
    columns = min(len(panels), BAR_PANELS_IN_A_ROW)
    row_height = TOP + PANEL_HEIGHT + BOTTOM
    rows = -(-len(panels) // columns)
    width = columns * (PANEL_WIDTH + LEFT + RIGHT)
    height = rows * row_height + LEGEND_LINE * ((len(names) + 2) // 3)
    lines = beginning(width, height)
    for number, (title, categories, series) in enumerate(panels):
        left = LEFT + number % columns * (PANEL_WIDTH + LEFT + RIGHT)
        top = TOP + number // columns * row_height
        most = max(value for values in series.values() for value in values)
        y_scale = Scale(0.5, max(most, 2) * 1.1, top + PANEL_HEIGHT, top, base=2 if most < 64 else 10)
        lines += bar_panel(title, categories, series, left, y_scale, y_label)
    lines += legend(names, width, rows * row_height + 4, ("square",))
    return "\n".join([*lines, "</svg>"]) + "\n"

// A chart of lines over time. Its figures are an attribute, and what is inside it is shown where scripts are not.
import uPlot from "uplot/dist/uPlot.esm.js";

const HEIGHT = 168;
// Steps of the times below a chart, in seconds. None is more than twice the one before it: from one minute straight to
// five, as uPlot would go, a phone's chart of four minutes has no time at all but one that is still to come, beside it.
const STEPS = [1, 2, 3, 5, 10, 15, 30, 60, 120, 180, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 43200, 86400];

// Asked of an element: a canvas does not understand light-dark().
function style(name) {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}

const wordy = (value, unit) => (value == null ? "–" : unit === " s" ? lasting(value) : `${shorten(value)}${unit}`);

// Below a second in milliseconds, as everywhere else.
function lasting(seconds) {
  if (seconds === 0) return "0";
  return seconds < 1 ? `${+(seconds * 1000).toPrecision(2)} ms` : `${shorten(seconds)} s`;
}

function shorten(value) {
  if (value === 0) return "0";
  if (Math.abs(value) >= 1e6) return `${+(value / 1e6).toPrecision(3)}M`;
  if (Math.abs(value) >= 1e4) return `${+(value / 1e3).toPrecision(3)}k`;
  return `${+value.toPrecision(3)}`;
}

// What was known last, as the line says it.
function findKnown(values, at) {
  return at == null ? null : values.slice(0, at + 1).findLast((value) => value != null);
}

function axis(extra) {
  const line = { stroke: style("--line"), width: 1 };
  return { stroke: style("--muted"), font: "12px system-ui, sans-serif", grid: line, ticks: { ...line, size: 4 }, ...extra };
}

function describe(figures, width) {
  const unit = figures.unit ?? "";
  const series = figures.series.map((one, place) => ({
    label: one.label,
    stroke: style(`--chart-${one.tone ?? (place % 6) + 1}`),
    width: 2,
    // Nobody knows how long jobs take while none ends: what was known last leads to what is known next.
    spanGaps: unit === " s",
    // A line needs two points: what was measured once is a dot.
    points: { show: (plot, which) => plot.data[which].filter((value) => value != null).length === 1, size: 6 },
    value: (plot, value, which, at) => wordy(value ?? (unit === " s" ? findKnown(plot.data[which], at) : null), unit),
  }));
  return {
    width,
    height: HEIGHT,
    // As every other time on these pages, wherever somebody looks at them.
    tzDate: (at) => uPlot.tzDate(new Date(at * 1000), "Etc/UTC"),
    // On the right there must be room for half a time of day.
    padding: [8, 32, 0, 0],
    legend: { live: true },
    // Without a pointer over it, the legend tells how things stand now.
    hooks: { setCursor: [(plot) => plot.cursor.idx == null && showLast(plot)] },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { y: { range: (_, low, high) => [0, Math.max(high ?? 0, figures.least ?? 1) * 1.1] } },
    axes: [
      axis({ size: 30, space: 70, incrs: STEPS, values: [[60, "{HH}:{mm}", null, null, null, null, null, null, 1], [1, "{HH}:{mm}:{ss}", null, null, null, null, null, null, 1]] }),
      axis({ size: unit === " s" ? 58 : 46, values: (_, ticks) => ticks.map(unit === " s" ? lasting : shorten) }),
    ],
    series: [{ label: "time", value: (_, at) => (at == null ? "–" : `${new Date(at * 1000).toISOString().slice(11, 19)} UTC`) }, ...series],
  };
}

function showLast(plot) {
  plot.setLegend({ idx: plot.data[0].length - 1 }, false);
}

class Chart extends HTMLElement {
  static observedAttributes = ["figures"];

  connectedCallback() {
    this.redraw = () => this.draw(true);
    this.watcher = new ResizeObserver(() => this.plot?.setSize({ width: this.clientWidth, height: HEIGHT }));
    this.watcher.observe(this);
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.scheme.addEventListener("change", this.redraw);
    document.addEventListener("dibs:theme", this.redraw);
    this.draw(true);
  }

  disconnectedCallback() {
    this.watcher?.disconnect();
    this.scheme?.removeEventListener("change", this.redraw);
    document.removeEventListener("dibs:theme", this.redraw);
    this.plot?.destroy();
    this.plot = null;
  }

  attributeChangedCallback() {
    if (this.isConnected && this.watcher) this.draw(false);
  }

  draw(anew) {
    const figures = JSON.parse(this.getAttribute("figures"));
    const data = [figures.at, ...figures.series.map((one) => one.values)];
    const shape = figures.series.map((one) => one.label).join("\n");
    if (!anew && this.plot && shape === this.shape) {
      this.plot.setData(data);
      if (this.plot.cursor.idx == null) showLast(this.plot);
      return;
    }
    this.shape = shape;
    this.plot?.destroy();
    this.replaceChildren();
    this.plot = new uPlot(describe(figures, this.clientWidth || 300), data, this);
    showLast(this.plot);
  }
}

export function defineChart() {
  customElements.define("dibs-chart", Chart);
}

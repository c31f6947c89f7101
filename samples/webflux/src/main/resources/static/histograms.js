// Draws the statistics of a service as tables and histograms, one figure for each kind of operation.

const transports = ["rdma", "tcp"], element = id => document.getElementById(id);
const number = new Intl.NumberFormat("en");
const time = us => us >= 1000 ? (us / 1000).toFixed(us < 100000 ? 1 : 0) + " ms" : us.toFixed(us < 100 ? 1 : 0) + " µs";

const recent = o => o.shorter.at(-1); // number of operations in the last ten seconds

// The table of a figure: a row for each of these, with one column per transport.
const rows = {
  total: ["operations so far", o => number.format(o.total)],
  rate: ["per second", o => number.format(Math.round(recent(o) / 10))],
  p50: ["median", o => recent(o) ? time(o.percentiles[0]) : "–"],
  p99: ["99 %", o => recent(o) ? time(o.percentiles[1]) : "–"],
  max: ["longest", o => recent(o) ? time(o.max) : "–"],
};

function figure(name) {
  if (!element(name)) {
    const made = document.createElement("figure");
    made.id = name;
    made.innerHTML = `<figcaption>${name.toUpperCase()}</figcaption><table><thead><tr><th>` +
      `<th><i class="rdma"></i>RDMA<th><i class="tcp"></i>TCP<tbody>` + Object.entries(rows).map(([row, [title]]) =>
        `<tr><th>${title}` + transports.map(over => `<td class="${row} ${over}">`).join("")).join("") +
      `</table><svg viewBox="0 0 320 196" role="img"></svg>`;
    element("operations").append(made);
  }
  return element(name);
}

// A histogram with one series per transport. Bar i counts times from 2^(i-1) to 2^i µs, so a time has the place
// log2(µs) + 1.
function draw(svg, name, series) {
  const left = 40, right = 316, top = 8, bottom = 140, step = (right - left) / series[0].shorter.length;
  const shares = series.map(o => o.shorter.map((n, i) => 100 * (n - (o.shorter[i - 1] ?? 0)) / Math.max(1, recent(o))));
  const most = 20 * Math.ceil(Math.max(1, ...shares.flat()) / 20);
  const y = share => bottom - (bottom - top) * share / most, x = us => left + (Math.log2(us) + 1) * step;
  const label = `time of one ${name.toUpperCase()} (logarithmic)`;
  svg.setAttribute("aria-label", label);
  svg.innerHTML = [0, most / 2, most].map(share =>
    `<line class="grid" x1="${left}" x2="${right}" y1="${y(share)}" y2="${y(share)}"/>` +
    `<text class="share" x="${left - 4}" y="${y(share) + 3}">${share} %</text>`).join("") +
  [[1, "1 µs"], [10, "10 µs"], [100, "100 µs"], [1e3, "1 ms"], [1e4, "10 ms"], [1e5, "100 ms"]].map(([us, text]) =>
    `<line class="grid" x1="${x(us)}" x2="${x(us)}" y1="${top}" y2="${bottom + 4}"/>` +
    `<text x="${x(us)}" y="${bottom + 15}">${text}</text>`).join("") +
  shares.map((bars, k) => bars.map((share, i) => `<rect class="${series[k].transport}" ` +
    `x="${left + (i + .08 + .42 * k) * step}" y="${y(share)}" width="${.42 * step}" height="${bottom - y(share)}"/>`).join("")).join("") +
  `<line x1="${left}" x2="${right}" y1="${bottom}" y2="${bottom}"/>` +
  `<text class="x axis" x="${(left + right) / 2}" y="${bottom + 33}">${label}</text>` +
  `<text x="${(left + right) / 2}" y="${bottom + 48}">← further left is better</text>` +
  `<text class="y axis" transform="translate(9 ${(top + bottom) / 2}) rotate(-90)">share of the operations</text>`;
}

const events = new EventSource("statistics");
events.onmessage = event => {
  const operations = JSON.parse(event.data);
  for (const name of new Set(operations.map(o => o.name))) {
    const series = operations.filter(o => o.name === name), f = figure(name);
    for (const o of series)
      for (const [row, [, text]] of Object.entries(rows)) f.querySelector(`.${row}.${o.transport}`).textContent = text(o);
    draw(f.querySelector("svg"), name, series);
  }
  element("state").textContent = "live";
};
events.onerror = () => element("state").textContent = "no connection to the service, trying again";

// Calls work(i) again and again while the box is ticked, with several workers at a time.
function makeLoadWhileTicked(box, workers, work) {
  async function repeat(worker) {
    for (let i = worker; box.checked; i++) await work(i);
  }
  const begin = () => {
    if (box.checked) for (let n = 0; n < workers; n++) repeat(n * 5).catch(() => box.checked = false);
  };
  box.onchange = begin;
  begin();
}

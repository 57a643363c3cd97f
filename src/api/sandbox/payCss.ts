/** The pay page's stylesheet. It is separate from the dashboard's, and needs no build step. */
export const PAY_CSS = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f6f8f9, #101517);
  --surface: light-dark(#fff, #171d20);
  --surface-2: light-dark(#eff3f4, #1f272b);
  --line: light-dark(#dfe6e8, #2a3439);
  --text: light-dark(#1b2428, #dfe6e9);
  --text-2: light-dark(#526067, #a3b1b7);
  --brand: #0b7485;
  --good: light-dark(#1c7043, #6fcf97);
  --bad: light-dark(#b3261e, #ff9a92);
  --warn-ground: light-dark(#fff3d6, #3a2f12);
  --warn-line: light-dark(#e0b64a, #8a6d1f);
}
* { box-sizing: border-box; }
body {
  margin: 0;
  background: var(--page);
  color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif;
  overflow-wrap: anywhere;
}
main, header { width: min(100%, 640px); margin: 0 auto; padding: 0 16px; }
header { display: flex; align-items: center; gap: 10px; padding-block: 20px; font-size: 20px; font-weight: 650; }
header svg { width: 28px; height: 28px; }
main { display: grid; gap: 16px; padding-bottom: 48px; }
h1, h2, h3, p, dl, dd, ul { margin: 0; }
h1 { font-size: 24px; line-height: 1.3; letter-spacing: -0.011em; }
h2 { font-size: 17px; }
h3 { font-size: 15px; }
.notice {
  padding: 14px 16px;
  border: 1px solid var(--warn-line);
  border-radius: 12px;
  background: var(--warn-ground);
}
.notice strong { display: block; font-size: 18px; }
.problem { border-color: var(--bad); }
.panel {
  display: grid;
  gap: 14px;
  padding: 20px;
  border: 1px solid var(--line);
  border-radius: 16px;
  background: var(--surface);
}
.amount { font-size: 34px; font-weight: 700; font-variant-numeric: tabular-nums; line-height: 1.2; }
.quiet, dt, .when { color: var(--text-2); font-size: 14px; }
.row { display: flex; flex-wrap: wrap; gap: 10px; align-items: end; }
form { display: contents; }
label, legend { font-size: 14px; font-weight: 600; }
.field { display: grid; gap: 4px; flex: 1 1 200px; }
fieldset { display: grid; gap: 12px; margin: 0; padding: 0; border: 0; min-width: 0; }
legend { padding: 0 0 8px; }
input, select, button, .button {
  min-height: 44px;
  padding: 8px 14px;
  border: 1px solid var(--line);
  border-radius: 8px;
  background: var(--surface);
  color: var(--text);
  font: inherit;
}
input, select { width: 100%; border-color: light-dark(#7d8b91, #6c7c83); }
button, .button {
  display: inline-flex;
  align-items: center;
  justify-content: center;
  background: var(--surface-2);
  font-weight: 600;
  text-decoration: none;
  cursor: pointer;
}
button:hover, .button:hover { border-color: var(--text-2); }
button.main { flex: 1 1 100%; min-height: 52px; border-color: var(--brand); background: var(--brand); color: #fff; }
button.main:hover { background: #075f6e; }
:focus-visible { outline: 3px solid light-dark(#0b7485, #43b4c5); outline-offset: 2px; }
.choices { display: grid; grid-template-columns: repeat(auto-fit, minmax(180px, 1fr)); gap: 10px; }
.choices button { width: 100%; padding-inline: 8px; font-size: 15px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 16px; }
ul { padding: 0; list-style: none; display: grid; gap: 8px; }
li { display: flex; flex-wrap: wrap; gap: 4px 12px; justify-content: space-between; align-items: center; }
code { font: 14px/1.5 ui-monospace, 'SF Mono', 'Cascadia Mono', 'Liberation Mono', monospace; }
.state { font-size: 14px; font-weight: 650; }
.good { color: var(--good); }
.bad { color: var(--bad); }
hr { width: 100%; margin: 0; border: 0; border-top: 1px solid var(--line); }
@media (max-width: 480px) { .panel { padding: 16px; } .row button { flex: 1 1 100%; } }
`;

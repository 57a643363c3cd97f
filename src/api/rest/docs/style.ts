/** The reference page's one style sheet. Colours by scheme; one column where it is narrow. */
export const STYLE = `
:root { --ink:#1c2430; --soft:#5a6675; --line:#dde3ea; --paper:#fff; --panel:#f5f7fa; --accent:#0b5cad; --get:#0a7a4b; --post:#9a4b00; }
@media (prefers-color-scheme: dark) {
  :root { --ink:#e6ebf2; --soft:#9aa7b6; --line:#2b3542; --paper:#10161f; --panel:#18202b; --accent:#7ab7ff; --get:#5fd39b; --post:#f3b26b; }
}
* { box-sizing:border-box; }
html { scroll-behavior:smooth; scroll-padding-top:1rem; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior:auto; } }
body { margin:0; color:var(--ink); background:var(--paper); font:16px/1.6 system-ui,sans-serif; }
a { color:var(--accent); }
:focus-visible { outline:2px solid var(--accent); outline-offset:2px; }
.skip { position:absolute; left:-999px; }
.skip:focus { left:1rem; top:1rem; background:var(--paper); padding:.5rem 1rem; }
header { display:flex; flex-wrap:wrap; gap:.5rem 1.5rem; align-items:baseline; padding:1.25rem clamp(1rem,4vw,3rem); border-bottom:1px solid var(--line); }
h1 { font-size:1.35rem; margin:0; }
h2 { font-size:1.35rem; line-height:1.3; margin:0 0 .5rem; }
h3 { font-size:1rem; margin:1.5rem 0 .5rem; }
.part { margin:3rem 0 0; }
.columns { display:grid; grid-template-columns:17rem minmax(0,1fr); max-width:82rem; margin:0 auto; }
nav { padding:1.5rem 1rem 2rem clamp(1rem,4vw,3rem); font-size:.92rem; position:sticky; top:0; align-self:start; max-height:100vh; overflow:auto; }
nav h2 { font-size:.78rem; text-transform:uppercase; letter-spacing:.06em; color:var(--soft); margin:1rem 0 .25rem; }
nav ul { list-style:none; margin:0; padding:0; }
nav a { display:block; padding:.3rem 0; text-decoration:none; color:inherit; }
nav a:hover { color:var(--accent); }
main { padding:1.5rem clamp(1rem,4vw,3rem) 5rem; min-width:0; }
section { padding:1.5rem 0 2rem; border-bottom:1px solid var(--line); }
section:target { border-left:3px solid var(--accent); padding-left:1rem; }
p { max-width:44rem; margin:.5rem 0; }
code, pre { font:.88em/1.5 ui-monospace,SFMono-Regular,Menlo,monospace; }
code { background:var(--panel); border-radius:4px; padding:.1em .35em; overflow-wrap:anywhere; }
pre { background:var(--panel); border:1px solid var(--line); border-radius:8px; padding:1rem; overflow:auto; }
.path code { background:none; padding:0; font-size:1rem; }
b.GET, b.POST { font-size:.75rem; letter-spacing:.04em; }
b.GET { color:var(--get); }
b.POST { color:var(--post); }
.scroll { overflow-x:auto; }
[hidden] { display:none !important; }
label { display:flex; flex-direction:column; gap:.2rem; font-size:.88rem; font-weight:600; max-width:32rem; }
input, select, button { font:inherit; color:inherit; background:var(--paper); border:1px solid var(--soft); border-radius:6px; padding:.4rem .6rem; min-width:0; }
input::placeholder { color:var(--soft); opacity:1; }
button { margin-top:.75rem; padding:.4rem 1.25rem; font-weight:600; color:var(--paper); background:var(--accent); border-color:var(--accent); cursor:pointer; }
.fields { display:grid; grid-template-columns:repeat(auto-fill,minmax(min(14rem,100%),1fr)); gap:.75rem; }
.response pre { max-height:28rem; }
table { border-collapse:collapse; width:100%; font-size:.92rem; }
th { text-align:left; color:var(--soft); font-weight:600; }
th, td { padding:.45rem .75rem .45rem 0; border-bottom:1px solid var(--line); vertical-align:top; }
td:first-child code { white-space:nowrap; }
td:nth-child(2) { min-width:9rem; }
dl { display:grid; grid-template-columns:3.5rem minmax(0,1fr); gap:.25rem .5rem; margin:0; font-size:.95rem; }
dt { font-weight:600; }
dd { margin:0; }
@media (max-width:52rem) {
  .columns { grid-template-columns:minmax(0,1fr); }
  nav { position:static; max-height:none; border-bottom:1px solid var(--line); padding-right:1rem; }
}
`;

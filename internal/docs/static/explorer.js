// Starts Swagger UI under the same content security policy as every page.

// Swagger UI shows Markdown by setting innerHTML, which Trusted Types forbid. The
// descriptions of our API need paragraphs, `code` and **strong** only, and get
// them as elements.
function inline(h, text) {
  return text.replace(/<\/?i>/g, "").split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith("`")) return h("code", null, part.slice(1, -1));
    if (part.startsWith("**")) return h("strong", null, part.slice(2, -2));
    return part;
  });
}

function plainMarkdown({ React: { createElement: h } }) {
  return ({ source }) => source
    ? h("div", { className: "markdown" }, ...source.trim().split(/\n\s*\n/).map((text) => h("p", null, ...inline(h, text))))
    : null;
}

// The parts without the frame: the page has a heading and a main element already,
// and the only server is this one.
function layout({ React: { createElement: h } }) {
  const parts = ["SvgAssets", "errors", "AuthorizeBtnContainer", "operations", "Webhooks", "Models"];
  return ({ getComponent }) => h("div", { className: "swagger-ui" },
    ...parts.map((name) => h("div", { className: `part-${name}` }, h(getComponent(name, name !== "SvgAssets")))));
}

// Names what Swagger UI leaves unnamed for those who do not see it, whenever it
// has drawn something.
function repair(root) {
  for (const select of root.querySelectorAll("select:not([aria-label])")) {
    select.ariaLabel = select.closest("[data-param-name]")?.dataset.paramName ?? "Example or media type";
  }
  for (const scroller of root.querySelectorAll(":is(pre, .table-container, .responses-inner):not([tabindex])")) scroller.tabIndex = 0;
  for (const button of root.querySelectorAll(".close-modal")) button.ariaLabel = "Close";
  for (const heading of root.querySelectorAll(":is(.webhooks, .models) h4")) heading.ariaLevel = 3;
  for (const region of root.querySelectorAll("[role=region]")) region.role = "group"; // their names are all the same
}

const explorer = document.getElementById("explorer");

// style loads Swagger UI's own sheet, before ours, which overrules it.
function style(href) {
  return new Promise((loaded) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href, onload: loaded });
    document.querySelector("link[rel=stylesheet]").before(link);
  });
}

// bundle loads Swagger UI. It is no module, but hands itself to AMD's define; a
// script element made here would need an exception to Trusted Types.
async function bundle(address) {
  let SwaggerUI;
  globalThis.define = Object.assign((_, make) => { SwaggerUI = make(); }, { amd: true });
  await import(address);
  delete globalThis.define;
  return SwaggerUI;
}

async function start() {
  const [SwaggerUI, answer] = await Promise.all([bundle(explorer.dataset.bundle), fetch("/api/openapi.json"), style(explorer.dataset.sheet)]);
  const spec = await answer.json();
  // The policy lets requests go to this origin only, by whatever name it was reached.
  spec.servers = [{ url: location.origin }];
  // Swagger UI fills in the examples of parameters and would send them, filters too.
  const operations = Object.values(spec.paths).flatMap((path) => Object.values(path));
  for (const parameter of [...Object.values(spec.components.parameters), ...operations.flatMap((operation) => operation.parameters ?? [])]) {
    if (!parameter.required) delete parameter.example;
  }
  explorer.replaceChildren();
  explorer.lang = "en";
  new MutationObserver(() => repair(explorer)).observe(explorer, { childList: true, subtree: true });
  SwaggerUI({
    spec,
    domNode: explorer,
    presets: [SwaggerUI.presets.apis],
    plugins: [(system) => ({
      components: { Layout: layout(system) },
      wrapComponents: { Markdown: () => plainMarkdown(system) },
    })],
    layout: "Layout",
    defaultModelExpandDepth: 2,
    docExpansion: "list",
    persistAuthorization: false,
    syntaxHighlight: false, // sets styles by attribute
    validatorUrl: null, // would ask a server elsewhere
  });
}

// It is half a megabyte, and heavy to run: on a small screen only if asked for.
const [notice, offer] = explorer.children;
notice.hidden = true;
if (matchMedia("(width >= 48rem)").matches) {
  await start();
} else {
  offer.hidden = false;
  offer.querySelector("button").addEventListener("click", start, { once: true });
}

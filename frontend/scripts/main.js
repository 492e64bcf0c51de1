// The pages read and work without any of this; with it they stay up to date and draw charts.
import "uplot/dist/uPlot.min.css";
import { Idiomorph } from "idiomorph/dist/idiomorph.esm.js";
import htmx from "htmx.org/dist/htmx.esm.js";
import { defineChart } from "./chart.js";
import { keepLive } from "./live.js";
import { offerThemes } from "./theme.js";

// The page's policy allows neither eval nor inline styles: htmx must not try.
Object.assign(htmx.config, {
  allowEval: false,
  allowScriptTags: false,
  includeIndicatorStyles: false,
  selfRequestsOnly: true,
  historyEnabled: false,
});

const keepers = {
  ignoreActiveValue: true,
  callbacks: {
    beforeNodeMorphed: (old, fresh) => {
      if (old.nodeName !== "DIBS-CHART") return true;
      // A chart draws itself: only its figures come from the page.
      old.setAttribute("figures", fresh.getAttribute("figures"));
      return false;
    },
    // What somebody has opened stays open.
    beforeAttributeUpdated: (name, node) => !(name === "open" && node.nodeName === "DETAILS"),
  },
};

htmx.defineExtension("morph", {
  isInlineSwap: (style) => style === "morph",
  handleSwap: (style, target, fragment) => {
    if (style !== "morph") return false;
    const fresh = fragment.firstElementChild ?? fragment;
    return Idiomorph.morph(target, fresh, { ...keepers, morphStyle: "outerHTML" });
  },
});

defineChart();
keepLive(htmx);
offerThemes();
// On a phone, tabs go beyond the edge: the chosen one is seen.
document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
document.documentElement.dataset.scripts = "yes";

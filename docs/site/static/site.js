"use strict";
// Search, colours, and a button that copies code. Pages read without any of them.
(() => {
  const { root, index } = document.currentScript.dataset;

  const offerThemes = () => {
    const order = ["auto", "light", "dark"];
    const button = document.getElementById("theme");
    const page = document.documentElement;
    const show = () => {
      button.textContent = `Theme: ${page.dataset.theme}`;
    };
    button.hidden = false;
    show();
    button.addEventListener("click", () => {
      page.dataset.theme = order[(order.indexOf(page.dataset.theme) + 1) % order.length];
      try {
        localStorage.setItem("dibs-docs-theme", page.dataset.theme);
      } catch {
        // A browser that keeps nothing still shows the chosen colours on this page.
      }
      show();
    });
  };

  const offerCopies = () => {
    if (!navigator.clipboard) return;
    for (const block of document.querySelectorAll("article pre")) {
      const button = document.createElement("button");
      button.className = "copy";
      button.type = "button";
      button.textContent = "Copy";
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(block.querySelector("code").textContent);
        button.textContent = "Copied";
        setTimeout(() => { button.textContent = "Copy"; }, 1500);
      });
      block.append(button);
    }
  };

  // The index is a script, not data to be fetched: browsers let a page on a disk load the one and not the other.
  let loading;
  const load = () => {
    loading ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = index;
      script.onload = () => resolve(window.dibsPages.map(prepare));
      script.onerror = reject;
      document.head.append(script);
    });
    return loading;
  };

  const prepare = ([address, title, heading, anchor, text]) => ({
    address, title, heading, anchor, text,
    low: { title: title.toLowerCase(), heading: heading.toLowerCase(), text: text.toLowerCase() },
  });

  const weigh = (row, words) => {
    let weight = 0;
    for (const word of words) {
      const found = (row.low.heading.includes(word) ? 12 : 0) + (row.low.title.includes(word) ? 6 : 0);
      const times = row.low.text.split(word).length - 1;
      if (!found && !times) return 0;
      weight += found + Math.min(times, 5);
    }
    // Of two that say the same, the page that is about it stands before the one that mentions it; decisions come last.
    if (row.heading === row.title) weight += 3;
    return row.address.includes("decisions/") || row.address.includes("CHANGELOG") ? weight / 2 : weight;
  };

  const cut = (row, words) => {
    const place = Math.min(...words.map((word) => row.low.text.indexOf(word)).filter((at) => at >= 0), 1e9);
    const from = place === 1e9 || place < 40 ? 0 : row.text.indexOf(" ", place - 40) + 1;
    return (from ? "…" : "") + row.text.slice(from, from + 140) + (row.text.length > from + 140 ? "…" : "");
  };

  const line = (row, words, number) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const name = document.createElement("strong");
    const text = document.createElement("small");
    item.id = `found-${number}`;
    item.role = "option";
    link.href = `${root}${row.address}${row.heading === row.title ? "" : `#${row.anchor}`}`;
    link.tabIndex = -1;
    name.textContent = row.heading === row.title ? row.title : `${row.title} › ${row.heading}`;
    text.textContent = cut(row, words);
    link.append(name, text);
    item.append(link);
    return item;
  };

  const offerSearch = () => {
    const form = document.querySelector(".search");
    const input = document.getElementById("words");
    const list = document.getElementById("found");
    let chosen = -1;
    const close = () => {
      list.hidden = true;
      input.setAttribute("aria-expanded", "false");
      input.removeAttribute("aria-activedescendant");
    };
    const choose = (number) => {
      const items = [...list.querySelectorAll("[role=option]")];
      if (!items.length) return;
      chosen = (number + items.length) % items.length;
      items.forEach((item, place) => item.setAttribute("aria-selected", place === chosen));
      items[chosen].scrollIntoView({ block: "nearest" });
      input.setAttribute("aria-activedescendant", items[chosen].id);
    };
    const look = async () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      if (!words.length) return close();
      const rows = await load();
      const weighed = rows.map((row) => [weigh(row, words), row]).filter(([weight]) => weight);
      const best = weighed.sort((one, other) => other[0] - one[0]).slice(0, 12);
      const nothing = Object.assign(document.createElement("li"), { className: "nothing", textContent: "Nothing has all of these words. Try fewer." });
      list.replaceChildren(...(best.length ? best.map(([, row], number) => line(row, words, number)) : [nothing]));
      list.hidden = false;
      input.setAttribute("aria-expanded", "true");
      chosen = -1;
    };
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const links = list.querySelectorAll("a");
      if (!list.hidden && links.length) location.href = links[Math.max(chosen, 0)].href;
    });
    input.addEventListener("focus", load, { once: true });
    input.addEventListener("input", look);
    input.addEventListener("keydown", (event) => {
      if (event.key === "Escape") close();
      if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
      event.preventDefault();
      choose(chosen + (event.key === "ArrowDown" ? 1 : -1));
    });
    document.addEventListener("click", (event) => {
      if (!form.contains(event.target) || event.target.closest("a")) close();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
      event.preventDefault();
      input.focus();
    });
  };

  offerThemes();
  offerCopies();
  offerSearch();
  // Not scrollIntoView: it would move the page as well, away from the anchor it was opened at.
  const menu = document.getElementById("shelves");
  const current = menu.querySelector("[aria-current]");
  if (current) menu.scrollTop = current.offsetTop - menu.clientHeight / 2;
})();

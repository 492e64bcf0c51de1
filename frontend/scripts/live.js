// One stream for the page that is looked at. Browsers allow six connections to a host, so hidden pages let go of theirs.
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 15000;

export function keepLive(htmx) {
  const address = document.body.dataset.live;
  if (!address || !document.querySelector("[hx-trigger*='dibs:news']")) return;
  const mark = document.getElementById("live-mark");
  let stream = null;
  let timer = 0;
  let pause = FIRST_PAUSE;

  const show = (word) => {
    if (!mark) return;
    mark.dataset.state = word;
    mark.textContent = word;
  };
  const close = () => {
    clearTimeout(timer);
    stream?.close();
    stream = null;
  };
  const open = () => {
    close();
    stream = new EventSource(address);
    stream.addEventListener("open", () => {
      pause = FIRST_PAUSE;
      show("live");
    });
    stream.addEventListener("news", () => htmx.trigger(document.body, "dibs:news"));
    stream.addEventListener("error", () => {
      close();
      show("reconnecting");
      timer = setTimeout(open, pause);
      pause = Math.min(pause * 2, LONGEST_PAUSE);
    });
  };
  const follow = () => {
    if (document.visibilityState === "hidden") {
      close();
      show("paused");
    } else {
      open();
      htmx.trigger(document.body, "dibs:news");
    }
  };
  document.addEventListener("visibilitychange", follow);
  window.addEventListener("pagehide", close);
  if (document.visibilityState !== "hidden") open();
}

// SPDX-License-Identifier: Apache-2.0

// Browsers start no worker from file://, and the search runs in one. There a hidden frame takes its place: it runs the same
// script, and messages go between the two windows.
(() => {
  if (location.protocol !== "file:") return;

  class FrameWorker extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "search";
      document.body.appendChild(frame);
      const inner = frame.contentWindow;
      this.frame = frame;
      this.ready = new Promise((resolve) => {
        inner.document.open();
        inner.document.write("<!doctype html><html><head></head><body></body></html>");
        inner.document.close();
        // The script's own postMessage answers to this object; with a target's origin it would be the window's.
        inner.postMessage = (data) => this.answer(data);
        const script = inner.document.createElement("script");
        script.src = new URL(url, document.baseURI).href;
        script.onload = resolve;
        script.onerror = () => this.dispatchEvent(new ErrorEvent("error", { message: `cannot load ${url}` }));
        inner.document.body.appendChild(script);
      });
    }

    answer(data) {
      const event = new MessageEvent("message", { data });
      setTimeout(() => {
        this.dispatchEvent(event);
        if (typeof this.onmessage === "function") this.onmessage(event);
      });
    }

    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  }

  window.Worker = FrameWorker;
})();

(function () {
  // The widget code looks for its modules and icon fonts on a CDN; they lie beside this file, over file:// too.
  var base = document.currentScript.src.replace(/[^/]*$/, "");
  require.config({ paths: {
    "@jupyter-widgets/html-manager": base + "html-manager/html-manager",
    "@jupyter-widgets/html-manager/dist/libembed-amd": base + "html-manager/libembed-amd",
    "@jupyter-widgets/html-manager/dist/embed-amd": base + "html-manager/embed-amd"
  } });

  // It also calls the queue of MathJax 2, which MathJax 3 no longer has: an error on a page with mathematics.
  if (window.MathJax) {
    window.MathJax.startup = { ready: function () {
      MathJax.Hub = { Queue: function (task) {
        MathJax.startup.promise.then(function () { return MathJax.typesetPromise([task[2]]); });
      } };
      MathJax.startup.defaultReady();
    } };
  }
})();

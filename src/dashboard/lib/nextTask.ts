/** Ends the task, so that the browser can respond before what follows. */
export function nextTask(): Promise<void> {
  // Not a timer: browsers delay those of hidden pages by a second.
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

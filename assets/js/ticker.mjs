// One timer for all clocks on the page; it runs only while there is a clock.

const TICK_MS = 250;
const clocks = new Set();
let timer = 0;

/**
 * Calls `tick(seconds since now)` at once and then often, until the returned function is called. At
 * another `pace` than 1 the clock runs so many times as fast.
 */
export function startClock(tick, { since = performance.now(), pace = 1 } = {}) {
  const clock = () => tick(((performance.now() - since) / 1000) * pace);
  clocks.add(clock);
  timer ||= setInterval(() => clocks.forEach((each) => each()), TICK_MS);
  clock();
  return () => {
    clocks.delete(clock);
    if (clocks.size) return;
    clearInterval(timer);
    timer = 0;
  };
}

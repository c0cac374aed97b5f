// Keeps the end of a scrolling box in view while it grows, until the reader scrolls away from it.

const NEAR_PX = 32;

/**
 * Follows `content` inside `scroller`. A ResizeObserver tells of growth after layout, so nothing
 * is measured while text is added; `onChange(following)` is called when the reader leaves the
 * end, or comes back to it.
 */
export class Follower {
  constructor(scroller, content, onChange = () => {}) {
    this.scroller = scroller;
    this.content = content;
    this.following = true;
    this.isReadFromTop = false; // an opening text, that is, which has no end to follow
    this.onChange = onChange;
    this.last = 0;
    this.hold = null; // the latest of holdAnchor, which ends those before
    this.growth = new ResizeObserver(() => this.following && this.toEnd());
    this.growth.observe(content);
    this.growth.observe(scroller);
    scroller.addEventListener("scroll", () => this.scrolled(), { passive: true });
  }

  /** Goes to the end, and stays there. */
  follow() {
    this.content.style.minHeight = "";
    this.set(true);
    this.toEnd();
  }

  toEnd() {
    this.scroller.scrollTop = this.isReadFromTop ? 0 : this.scroller.scrollHeight;
    this.last = this.scroller.scrollTop;
  }

  /**
   * `element`, which was at `from` on the window, is to be there again, after something above it
   * or below it has changed. What follows may have become too short for that: then there is room
   * under it, until the end is followed again.
   */
  keepPlace(element, from) {
    const { scroller } = this;
    const wanted = scroller.scrollTop + element.getBoundingClientRect().top - from;
    const missing = wanted + scroller.clientHeight - scroller.scrollHeight;
    if (missing > 0) {
      this.content.style.minHeight = `${this.content.offsetHeight + Math.ceil(missing)}px`;
    }
    this.holdAnchor(element);
    scroller.scrollTop = wanted;
    this.last = scroller.scrollTop;
    this.set(this.isNearEnd && missing <= 0);
  }

  /**
   * The browser has seen the change too, and would answer it once more in the next frame: so it
   * does not hold what is read for two frames. In these it is held here, since pictures above it
   * may find just then that they are gone, and become smaller.
   */
  holdAnchor(element) {
    const { scroller } = this;
    const inContent = () => element.getBoundingClientRect().top + scroller.scrollTop;
    const hold = (this.hold = {});
    let before = inContent();
    const correct = () => {
      if (hold !== this.hold || this.following || !element.isConnected) return;
      const shift = inContent() - before;
      before += shift;
      if (shift) scroller.scrollTop += shift;
    };
    scroller.style.overflowAnchor = "none";
    requestAnimationFrame(() => {
      correct();
      requestAnimationFrame(() => {
        correct();
        if (hold === this.hold) scroller.style.overflowAnchor = "";
      });
    });
  }

  get isNearEnd() {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    return scrollHeight - scrollTop - clientHeight < NEAR_PX;
  }

  scrolled() {
    if (this.isReadFromTop) return;
    const { scrollTop } = this.scroller;
    // Growth alone never moves the box upwards: only the reader does, or what shrank.
    if (this.isNearEnd) this.set(true);
    else if (scrollTop < this.last - 2) this.set(false);
    this.last = scrollTop;
  }

  set(following) {
    if (following === this.following) return;
    this.following = following;
    this.onChange(following);
  }
}

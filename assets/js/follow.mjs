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
    this.following = true;
    this.onChange = onChange;
    this.last = 0;
    this.growth = new ResizeObserver(() => this.following && this.toEnd());
    this.growth.observe(content);
    this.growth.observe(scroller);
    scroller.addEventListener("scroll", () => this.scrolled(), { passive: true });
  }

  /** Goes to the end, and stays there. */
  follow() {
    this.set(true);
    this.toEnd();
  }

  toEnd() {
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.last = this.scroller.scrollTop;
  }

  scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    const isNear = scrollHeight - scrollTop - clientHeight < NEAR_PX;
    // Growth alone never moves the box upwards: only the reader does, or what shrank.
    if (isNear) this.set(true);
    else if (scrollTop < this.last - 2) this.set(false);
    this.last = scrollTop;
  }

  set(following) {
    if (following === this.following) return;
    this.following = following;
    this.onChange(following);
  }
}

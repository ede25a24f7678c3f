/** The tree of the instances of a model file. It is stored in arrays of numbers, because a file may have very many instances. */

const [HAS, BROKEN] = [1, 2];

/** The tree is opened one level further if no more rows than this are then in sight. */
const OPENED = 500;

/**
 * A node has two numbers: its number in the file, and its place, which is its number in the order of the tree. In that order, the
 * descendants of a node come right after it.
 */
export class InstanceTree {
  readonly count: number;
  /** The node at each place, and the place of each node. */
  readonly #nodes: Int32Array;
  readonly #places: Int32Array;
  readonly #depths: Int32Array;
  /** The place of the parent of each node; -1 for the outermost. */
  readonly #parents: Int32Array;
  /** The place after the descendants of each node. */
  readonly #ends: Int32Array;
  /** 1 if a node has attributes or tags; `#holds` also if one of its descendants has. */
  readonly #has: Uint8Array;
  readonly #holds: Uint8Array;
  readonly #open: Uint8Array;
  /** The same while something is searched for. */
  #openFound: Uint8Array;
  /** 1 for nodes that match the search, and for their ancestors; `null` without a search. */
  #found: Uint8Array | null = null;
  #foundCount = 0;
  /** The places of the nodes that match the search. */
  #hits = new Int32Array(0);
  #isAll = false;
  #visible = new Int32Array(0);
  /** For each row in sight: its number among its siblings, and the number of its children. */
  #positions = new Int32Array(0);
  #inner = new Int32Array(0);
  #outermost = 0;
  readonly broken: number;
  /** The number of nodes with attributes or tags. */
  withSome: number;

  /** From two numbers for each node: the number of its parent and one more, and flags. */
  constructor(numbers: Uint32Array) {
    const count = numbers.length / 2;
    this.count = count;
    // the children of each node, the last first
    const [first, next] = [new Int32Array(count + 1).fill(-1), new Int32Array(count)];
    for (let node = 0; node < count; node++) {
      const parent = Math.min(numbers[node * 2] ?? 0, count);
      next[node] = first[parent] ?? -1;
      first[parent] = node;
    }
    this.#nodes = new Int32Array(count);
    this.#places = new Int32Array(count).fill(-1);
    this.#depths = new Int32Array(count);
    this.#parents = new Int32Array(count).fill(-1);
    this.#ends = new Int32Array(count).fill(count);
    let placed = 0;
    const waiting: number[] = [];
    const place = (): void => {
      for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
        // a file may say that an instance is within itself
        if (this.#places[node] !== -1) continue;
        const parent = (numbers[node * 2] ?? 0) - 1;
        const around = parent < 0 ? -1 : (this.#places[parent] ?? -1);
        this.#nodes[placed] = node;
        this.#places[node] = placed;
        this.#parents[placed] = around;
        this.#depths[placed] = around < 0 ? 0 : (this.#depths[around] ?? 0) + 1;
        placed++;
        for (let child = first[node + 1] ?? -1; child >= 0; child = next[child] ?? -1) waiting.push(child);
      }
    };
    for (let root = first[0] ?? -1; root >= 0; root = next[root] ?? -1) waiting.push(root);
    place();
    for (let node = 0; node < count; node++) {
      if (this.#places[node] !== -1) continue;
      waiting.push(node);
      place();
    }
    this.#has = new Uint8Array(count);
    this.#holds = new Uint8Array(count);
    this.#open = new Uint8Array(count);
    this.#openFound = new Uint8Array(0);
    [this.withSome, this.broken] = [0, 0];
    for (let at = 0; at < count; at++) {
      const flags = numbers[(this.#nodes[at] ?? 0) * 2 + 1] ?? 0;
      if ((flags & HAS) !== 0) [this.#has[at], this.withSome] = [1, this.withSome + 1];
      if ((flags & BROKEN) !== 0) this.broken++;
    }
    for (let at = count - 1; at >= 0; at--) {
      if (this.#has[at] === 1) this.#holds[at] = 1;
      const around = this.#parents[at] ?? -1;
      if (around >= 0 && this.#holds[at] === 1) this.#holds[around] = 1;
    }
    const around: number[] = [];
    for (let at = 0; at < count; at++) {
      while (around.length > (this.#depths[at] ?? 0)) this.#ends[around.pop() as number] = at;
      around.push(at);
    }
    // without any, all nodes are shown
    this.#isAll = this.withSome === 0;
    this.#openSome();
    this.#show();
  }

  /** Opens the outer levels, as long as the rows are few. */
  #openSome(): void {
    const levels: number[] = [];
    for (let at = 0; at < this.count; at++) {
      const depth = this.#depths[at] ?? 0;
      if (this.#isShown(at)) levels[depth] = (levels[depth] ?? 0) + 1;
    }
    let [shown, deepest] = [levels[0] ?? 0, -1];
    for (let depth = 1; depth < levels.length && (shown < 3 || shown + (levels[depth] ?? 0) <= OPENED); depth++) {
      shown += levels[depth] ?? 0;
      deepest = depth - 1;
    }
    for (let at = 0; at < this.count; at++) if ((this.#depths[at] ?? 0) <= deepest) this.#open[at] = 1;
  }

  #isShown(place: number): boolean {
    return (this.#isAll || this.#holds[place] === 1) && (this.#found === null || this.#found[place] === 1);
  }

  #show(): void {
    const [visible, positions, inner, rows] = [new Int32Array(this.count), new Int32Array(this.count), new Int32Array(this.count), [] as number[]];
    let [shown, outermost] = [0, 0];
    for (let place = 0; place < this.count; ) {
      if (!this.#isShown(place)) {
        place = this.#ends[place] ?? this.count;
        continue;
      }
      const depth = this.#depths[place] ?? 0;
      rows[depth] = shown;
      visible[shown] = place;
      if (depth === 0) positions[shown] = ++outermost;
      else {
        const around = rows[depth - 1] ?? 0;
        inner[around] = (inner[around] ?? 0) + 1;
        positions[shown] = inner[around] ?? 0;
      }
      shown++;
      place = this.isOpen(place) ? place + 1 : (this.#ends[place] ?? this.count);
    }
    this.#visible = visible.subarray(0, shown);
    [this.#positions, this.#inner, this.#outermost] = [positions, inner, outermost];
  }

  /** The places that are in sight, in their order. */
  get visible(): Int32Array {
    return this.#visible;
  }

  get isAll(): boolean {
    return this.#isAll;
  }

  /** The number of nodes that match the search. */
  get foundCount(): number {
    return this.#foundCount;
  }

  nodeAt = (place: number): number => this.#nodes[place] ?? 0;
  placeOf = (node: number): number => this.#places[node] ?? 0;
  depth = (place: number): number => this.#depths[place] ?? 0;
  parent = (place: number): number => this.#parents[place] ?? -1;
  isOpen = (place: number): boolean => (this.#found === null ? this.#open : this.#openFound)[place] === 1;

  /** True if a descendant of a node can be shown. */
  hasInner(place: number): boolean {
    const end = this.#ends[place] ?? 0;
    for (let at = place + 1; at < end; at = this.#ends[at] ?? end) if (this.#isShown(at)) return true;
    return false;
  }

  /** The number of a row among its siblings, and the number of these. */
  position(row: number): readonly [number, number] {
    const depth = this.depth(this.#visible[row] ?? 0);
    if (depth === 0) return [this.#positions[row] ?? 0, this.#outermost];
    const around = this.rowOf(this.parent(this.#visible[row] ?? 0));
    return [this.#positions[row] ?? 0, this.#inner[around] ?? 0];
  }

  /** The row of a place that is in sight; -1 if it is not. */
  rowOf(place: number): number {
    let [low, high] = [0, this.#visible.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#visible[middle] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    return this.#visible[low] === place ? low : -1;
  }

  setOpen(place: number, isOpen: boolean): void {
    (this.#found === null ? this.#open : this.#openFound)[place] = isOpen ? 1 : 0;
    this.#show();
  }

  setAllOpen(isOpen: boolean): void {
    (this.#found === null ? this.#open : this.#openFound).fill(isOpen ? 1 : 0);
    this.#show();
  }

  /** Shows all instances, or only those with attributes or tags and their ancestors. */
  setAll(isAll: boolean): void {
    this.#isAll = isAll;
    this.#openSome();
    this.#show();
  }

  /** Records that a node has attributes or tags now. */
  setHas(node: number): void {
    const place = this.placeOf(node);
    if (this.#has[place] === 1) return;
    this.#has[place] = 1;
    this.withSome++;
    for (let at = place; at >= 0; at = this.parent(at)) this.#holds[at] = 1;
    this.#show();
  }

  /** Shows only these nodes and their ancestors; `null` shows all. */
  find(nodes: Uint32Array | null): void {
    this.#foundCount = 0;
    const hits: number[] = [];
    if (nodes === null) this.#found = null;
    else {
      this.#found = new Uint8Array(this.count);
      for (const node of nodes) {
        const place = this.placeOf(node);
        if (!this.#isAll && this.#has[place] !== 1) continue;
        this.#foundCount++;
        hits.push(place);
        for (let at = place; at >= 0 && this.#found[at] !== 1; at = this.parent(at)) this.#found[at] = 1;
      }
      this.#openFound = new Uint8Array(this.count).fill(1);
    }
    this.#hits = Int32Array.from(hits).sort();
    this.#show();
  }

  /** The next place that matches the search, or the one before; at the end the first again. */
  hit(from: number, isBack: boolean): number | null {
    const at = isBack ? this.#hits.findLastIndex((place) => place < from) : this.#hits.findIndex((place) => place > from);
    return this.#hits[at < 0 ? (isBack ? this.#hits.length - 1 : 0) : at] ?? null;
  }

  /** Opens the ancestors of a node, and shows it even if it has no attributes and tags. */
  reveal(node: number): void {
    const place = this.placeOf(node);
    if (!this.#isAll && this.#holds[place] !== 1) this.#isAll = true;
    let isChanged = false;
    for (let at = this.parent(place); at >= 0; at = this.parent(at)) {
      if (this.isOpen(at)) continue;
      (this.#found === null ? this.#open : this.#openFound)[at] = 1;
      isChanged = true;
    }
    if (isChanged || this.rowOf(place) < 0) this.#show();
  }

  /** The first node with attributes or tags, or the first of all. */
  get first(): number | null {
    const place = this.#has.indexOf(1);
    return this.count === 0 ? null : this.nodeAt(Math.max(0, place));
  }
}

// Heights of rows with their prefix sums, for lists of 100,000 rows: a Fenwick tree. Reading a sum, finding the
// row at a position and changing one height cost O(log n).

export class Heights {
  private sizes: Float64Array;
  private tree: Float64Array;
  private known: Uint8Array;
  length = 0;

  constructor(
    n: number,
    private readonly estimate: number,
  ) {
    this.sizes = new Float64Array(0);
    this.tree = new Float64Array(1);
    this.known = new Uint8Array(0);
    this.resize(n);
  }

  /** Rows behind the old end get the estimate; rows behind the new end are forgotten. */
  resize(n: number): void {
    if (n === this.length) return;
    if (n > this.sizes.length || n < this.length) {
      const room = n > this.sizes.length ? Math.max(n, this.sizes.length * 2, 64) : this.sizes.length;
      const sizes = new Float64Array(room).fill(this.estimate);
      const known = new Uint8Array(room);
      const keep = Math.min(n, this.length);
      sizes.set(this.sizes.subarray(0, keep));
      known.set(this.known.subarray(0, keep));
      this.sizes = sizes;
      this.known = known;
      this.tree = build(sizes);
    }
    this.length = n;
  }

  size(i: number): number {
    return this.sizes[i] ?? this.estimate;
  }

  /** Was this row measured? */
  measured(i: number): boolean {
    return this.known[i] === 1;
  }

  /** Returns by how much the row grew. */
  set(i: number, size: number): number {
    const grown = size - this.sizes[i]!;
    this.known[i] = 1;
    if (!grown) return 0;
    this.sizes[i] = size;
    for (let k = i + 1; k < this.tree.length; k += k & -k) this.tree[k]! += grown;
    return grown;
  }

  /** The position of row i: the sum of all heights before it. */
  before(i: number): number {
    let sum = 0;
    for (let k = Math.min(i, this.length); k > 0; k -= k & -k) sum += this.tree[k]!;
    return sum;
  }

  total(): number {
    return this.before(this.length);
  }

  /** The row at a position; the last row for positions behind the end. */
  at(y: number): number {
    let index = 0;
    let bit = 1;
    while (bit * 2 < this.tree.length) bit *= 2;
    for (; bit > 0; bit >>= 1) {
      const next = index + bit;
      if (next < this.tree.length && this.tree[next]! <= y) {
        index = next;
        y -= this.tree[next]!;
      }
    }
    return Math.max(0, Math.min(index, this.length - 1));
  }
}

function build(sizes: Float64Array): Float64Array {
  const tree = new Float64Array(sizes.length + 1);
  for (let i = 1; i < tree.length; i++) {
    tree[i]! += sizes[i - 1]!;
    const up = i + (i & -i);
    if (up < tree.length) tree[up]! += tree[i]!;
  }
  return tree;
}

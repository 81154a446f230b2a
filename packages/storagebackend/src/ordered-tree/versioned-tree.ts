import type { Revision } from '../backend.ts'
import type { OrderedTree, TreeSnapshot } from './ordered-tree.ts'
import type { Keyed } from './tree-node.ts'

interface Version<V extends Keyed> {
  readonly revision: Revision
  readonly tree: TreeSnapshot<V>
}

/**
 * Applies the changes of every revision after `after`, up to and including `until`, to `tree`. Returns false if some of the changes have
 * been dropped.
 */
export type Replay<V extends Keyed> = (tree: OrderedTree<V>, after: Revision, until: Revision) => boolean

/** The number of changes between two checkpoints. Each checkpoint keeps copies of the nodes that changed since the previous checkpoint. */
const changesPerCheckpoint = 64
const maxRecent = 8
/** The number of dropped checkpoints after which the array is shortened. Shortening moves all other checkpoints, so it is done rarely. */
const minDropped = 64

/**
 * An ordered tree and its past versions. After every 64 changes, a version is kept as a checkpoint. Any other version is computed from the checkpoint
 * before it, by replaying the changes since that checkpoint. The owner of the tree keeps the changes, because it needs them for watches too.
 *
 *     checkpoints    100              164              228
 *     changes            101 ... 163      165 ... 227      229 230   <- newest
 *
 *     at(166) edits a copy of version 164 and replays 165 and 166.
 */
export class VersionedTree<V extends Keyed> {
  /** The newest version. The owner of the tree writes to it, and calls `endRevision` after the changes of each revision. */
  readonly newest: OrderedTree<V>
  #revision: Revision
  #changes = 0
  #checkpoints: (Version<V> | undefined)[]
  /** The index of the oldest checkpoint that is not dropped. */
  #first = 0
  /** The versions that were computed last. They are cached because the pages of one list read the same version repeatedly. */
  readonly #recent: Version<V>[] = []

  constructor(tree: OrderedTree<V>, revision: Revision) {
    this.newest = tree
    this.#revision = revision
    this.#checkpoints = [{ revision, tree: tree.snapshot() }]
  }

  /** Ends a revision after its changes have been applied to `newest`. `changes` is the number of these changes. */
  endRevision(revision: Revision, changes: number): void {
    this.#revision = revision
    this.#changes += changes
    if (this.#changes < changesPerCheckpoint) return
    this.#changes = 0
    this.#checkpoints.push({ revision, tree: this.newest.snapshot() })
  }

  /** Returns the version at `revision`, or undefined if it has been dropped. */
  at(revision: Revision, replay: Replay<V>): TreeSnapshot<V> | undefined {
    if (revision >= this.#revision) return this.newest.snapshot()
    const recent = this.#recent.find((version) => version.revision === revision)
    if (recent) return recent.tree
    const checkpoint = this.#findCheckpoint(revision)
    if (checkpoint === undefined || checkpoint.revision === revision) return checkpoint?.tree
    const edited = checkpoint.tree.edit()
    if (!replay(edited, checkpoint.revision, revision)) return undefined
    const tree = edited.snapshot()
    this.#recent.push({ revision, tree })
    if (this.#recent.length > maxRecent) this.#recent.shift()
    return tree
  }

  /**
   * Drops versions before `oldest`. The version at `oldest` is available only while the owner keeps the changes since the checkpoint before
   * it.
   */
  dropBefore(oldest: Revision): void {
    const checkpoints = this.#checkpoints
    // Remove references to dropped checkpoints now, so that their memory is freed. The array is shortened later.
    while (this.#first + 1 < checkpoints.length && checkpoints[this.#first + 1]!.revision <= oldest) checkpoints[this.#first++] = undefined
    if (this.#first > minDropped && this.#first * 2 > checkpoints.length) {
      this.#checkpoints = checkpoints.slice(this.#first)
      this.#first = 0
    }
    for (let i = this.#recent.length - 1; i >= 0; i--) if (this.#recent[i]!.revision < oldest) this.#recent.splice(i, 1)
  }

  /**
   * Drops versions before `oldest` and makes `oldest` a checkpoint. The changes before `oldest` are then no longer needed. The version must
   * be available.
   */
  startAt(oldest: Revision, replay: Replay<V>): void {
    const tree = this.at(oldest, replay)!
    this.dropBefore(oldest)
    this.#checkpoints[this.#first] = { revision: oldest, tree }
  }

  /** Returns the newest checkpoint at or before `revision`, or undefined if there is none. */
  #findCheckpoint(revision: Revision): Version<V> | undefined {
    let low = this.#first
    let high = this.#checkpoints.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#checkpoints[middle]!.revision <= revision) low = middle + 1
      else high = middle
    }
    return low === this.#first ? undefined : this.#checkpoints[low - 1]
  }
}

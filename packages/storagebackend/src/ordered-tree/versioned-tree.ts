import type { Revision } from '../backend.ts'
import type { OrderedTree, TreeSnapshot } from './ordered-tree.ts'
import type { Keyed } from './tree-node.ts'

interface Version<V extends Keyed> {
  readonly revision: Revision
  readonly tree: TreeSnapshot<V>
}

/** Applies the changes of every revision after `after`, up to and including `until`, to `tree`. Returns false if they are no longer known. */
export type Replay<V extends Keyed> = (tree: OrderedTree<V>, after: Revision, until: Revision) => boolean

/** Each checkpoint holds copies of the nodes that changed since the one before it. */
const changesPerCheckpoint = 64
const maxRecent = 8
/** The array of checkpoints is cut after so many dropped ones: cutting moves the rest. */
const minDropped = 64

/**
 * An ordered tree and its past versions. A version is kept as a checkpoint every 64 changes. Any other version is the checkpoint before it, with
 * the changes since then replayed on top. The owner keeps the changes, because it serves watches from them.
 *
 *     checkpoints    100              164              228
 *     changes            101 ... 163      165 ... 227      229 230   <- newest
 *
 *     at(166) edits a copy of version 164 and replays 165 and 166.
 */
export class VersionedTree<V extends Keyed> {
  /** The owner writes to it, and calls `endRevision` after the changes of each revision. */
  readonly newest: OrderedTree<V>
  #revision: Revision
  #changes = 0
  #checkpoints: (Version<V> | undefined)[]
  /** Index of the oldest checkpoint that is not dropped. */
  #first = 0
  /** The latest results of replays: the pages of one list read the same version again and again. */
  readonly #recent: Version<V>[] = []

  constructor(tree: OrderedTree<V>, revision: Revision) {
    this.newest = tree
    this.#revision = revision
    this.#checkpoints = [{ revision, tree: tree.snapshot() }]
  }

  /** `newest` has all `changes` changes of the revision. */
  endRevision(revision: Revision, changes: number): void {
    this.#revision = revision
    this.#changes += changes
    if (this.#changes < changesPerCheckpoint) return
    this.#changes = 0
    this.#checkpoints.push({ revision, tree: this.newest.snapshot() })
  }

  /** The version at `revision`; undefined when it is no longer known. */
  at(revision: Revision, replay: Replay<V>): TreeSnapshot<V> | undefined {
    if (revision >= this.#revision) return this.newest.snapshot()
    const recent = this.#recent.find((version) => version.revision === revision)
    if (recent) return recent.tree
    const checkpoint = this.#checkpointAt(revision)
    if (checkpoint === undefined || checkpoint.revision === revision) return checkpoint?.tree
    const edited = checkpoint.tree.edit()
    if (!replay(edited, checkpoint.revision, revision)) return undefined
    const tree = edited.snapshot()
    this.#recent.push({ revision, tree })
    if (this.#recent.length > maxRecent) this.#recent.shift()
    return tree
  }

  /** Drops versions before `oldest`. Its own version stays known as long as the changes since the checkpoint before it do. */
  dropBefore(oldest: Revision): void {
    const checkpoints = this.#checkpoints
    // A dropped checkpoint must not stay alive until the array is cut.
    while (this.#first + 1 < checkpoints.length && checkpoints[this.#first + 1]!.revision <= oldest) checkpoints[this.#first++] = undefined
    if (this.#first > minDropped && this.#first * 2 > checkpoints.length) {
      this.#checkpoints = checkpoints.slice(this.#first)
      this.#first = 0
    }
    for (let i = this.#recent.length - 1; i >= 0; i--) if (this.#recent[i]!.revision < oldest) this.#recent.splice(i, 1)
  }

  /** The same, and makes the version at `oldest` a checkpoint, so that changes up to `oldest` are needed no more. Must be a known version. */
  startAt(oldest: Revision, replay: Replay<V>): void {
    const tree = this.at(oldest, replay)!
    this.dropBefore(oldest)
    this.#checkpoints[this.#first] = { revision: oldest, tree }
  }

  /** The newest checkpoint that is not newer than `revision`. */
  #checkpointAt(revision: Revision): Version<V> | undefined {
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

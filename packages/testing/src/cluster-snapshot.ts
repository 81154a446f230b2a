import type { StoreImage } from '@keelson/backend-embedded'

/** All objects of a cluster at one moment, for `restore` and for new clusters. It takes no longer for more objects. */
export class ClusterSnapshot {
  /** Not for callers. */
  readonly image: StoreImage

  constructor(image: StoreImage) {
    this.image = image
  }
}

export const restDefaults = {
  defaultWatchCacheSize: 100,
  /** kube-apiserver has 1; deletions that run at the same time reach the disk together. */
  deleteCollectionWorkers: 16,
  enableGarbageCollection: true,
} as const

/** Types of the functions used here, because the package has none. */
declare module 'fs-native-extensions' {
  export interface FileLocks {
    /** Locks a byte range of an open file exclusively. Returns false if another open file holds the lock. */
    tryLock(handle: number, offset: number, length: number): boolean
  }
  const locks: FileLocks
  export default locks
}

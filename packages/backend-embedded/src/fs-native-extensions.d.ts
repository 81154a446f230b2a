/** The types of the functions that this package uses. The library has no types. */
declare module 'fs-native-extensions' {
  export interface FileLocks {
    /** Locks a byte range of an open file exclusively. Returns false if another open file has the lock. */
    tryLock(handle: number, offset: number, length: number): boolean
  }
  const locks: FileLocks
  export default locks
}

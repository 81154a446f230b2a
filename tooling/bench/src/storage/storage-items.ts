/** A figure of ours beside what bounds it. */
export interface StorageItem {
  /** `storage/NAME` on the command line. */
  readonly name: string
  readonly title: string
  /** Names of loads. */
  readonly ours: string
  readonly bare: string
  readonly bar:
    | { readonly type: 'share'; readonly least: number }
    /** Milliseconds of one operation. */
    | { readonly type: 'time'; readonly most: number }
  readonly etcd?: boolean
}

const share = (least: number): StorageItem['bar'] => ({ type: 'share', least })

export const storageItems: readonly StorageItem[] = [
  {
    name: 'create-32',
    title: 'embedded: durable create of 3 KB, 32 in flight',
    ours: 'embedded create 32',
    bare: 'lmdb put 32',
    bar: share(0.5),
  },
  {
    name: 'create-1',
    title: 'embedded: durable create of 3 KB, one at a time',
    ours: 'embedded create 1',
    bare: 'lmdb put 1',
    bar: share(0.8),
  },
  {
    name: 'etcd-create-32',
    title: 'etcd: create of 3 KB, 32 in flight',
    ours: 'etcd create 32',
    bare: 'etcd3 create 32',
    bar: share(0.85),
    etcd: true,
  },
  {
    name: 'etcd-create-1',
    title: 'etcd: create of 3 KB, one at a time',
    ours: 'etcd create 1',
    bare: 'etcd3 create 1',
    bar: share(0.85),
    etcd: true,
  },
  {
    name: 'etcd-get-32',
    title: 'etcd: get of 3 KB, 32 in flight',
    ours: 'etcd get 32',
    bare: 'etcd3 get 32',
    bar: share(0.85),
    etcd: true,
  },
  {
    name: 'etcd-get-1',
    title: 'etcd: get of 3 KB, one at a time',
    ours: 'etcd get 1',
    bare: 'etcd3 get 1',
    bar: share(0.85),
    etcd: true,
  },
  {
    name: 'walk',
    title: 'embedded: walk of 10,000 entries from a snapshot',
    ours: 'snapshot walk',
    bare: 'array walk',
    bar: { type: 'time', most: 2 },
  },
  {
    name: 'watches',
    title: 'embedded: events with 1,000 watches on distinct prefixes, beside 10',
    ours: '1000 watches',
    bare: '10 watches',
    bar: share(0.8),
  },
]

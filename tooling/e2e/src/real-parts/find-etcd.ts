import { findBinary } from './find-binary.ts'

export function findEtcd(): string | undefined {
  return findBinary({ name: 'etcd', version: ['--version'], debian: { package: 'etcd-server', path: 'usr/bin/etcd' } })
}

/** Returns the path of etcdctl. */
export function findEtcdctl(): string | undefined {
  return findBinary({ name: 'etcdctl', version: ['version'], debian: { package: 'etcd-client', path: 'usr/bin/etcdctl' } })
}

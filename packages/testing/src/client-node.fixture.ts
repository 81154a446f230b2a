import type * as ClientNode from '@kubernetes/client-node'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

/** Whether this Node can load client-node 2. Its dependency undici 8 needs Node 22.19. */
export const hasClientNode: boolean = major > 22 || (major === 22 && minor >= 19)

/** The package client-node. Empty if this Node cannot load it. */
export const clientNode: typeof ClientNode = hasClientNode ? await import('@kubernetes/client-node') : ({} as typeof ClientNode)

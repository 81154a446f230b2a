import { matchLines, matchTable } from '../expected.ts'
import type { Topic } from '../topic.ts'

const expectYaml = (kind: string): RegExp => new RegExp(`kind: ${kind}\nmetadata:\n`)

export const create: Topic = {
  'config maps': async (session) => {
    await session.write('files/one.txt', 'first\n')
    await session.write('settings.env', 'A=1\nB=2\n')
    await session.play(
      ['create configmap literal --from-literal=a=1 --from-literal=b=2', 'configmap/literal created'],
      ['create configmap file --from-file=files --from-file=two=files/one.txt', 'configmap/file created'],
      ['create configmap env --from-env-file=settings.env --append-hash', /^configmap\/env-[a-z0-9]{10} created\n$/],
      ['get cm file -o jsonpath={.data}', '{"one.txt":"first\\n","two":"first\\n"}'],
      ['create configmap literal', { code: 1, stderr: 'error: failed to create configmap: configmaps "literal" already exists' }],
      [
        'create configmap Bad_Name',
        {
          code: 1,
          stderr:
            /^error: failed to create configmap: ConfigMap "Bad_Name" is invalid: metadata\.name: Invalid value: "Bad_Name": a lowercase RFC 1123 subdomain/,
        },
      ],
    )
  },
  'dry runs change nothing': [
    ['create configmap dry --dry-run=client -o name', 'configmap/dry'],
    [
      'create configmap dry --from-literal=a=1 --dry-run=client -o yaml',
      /^apiVersion: v1\ndata:\n {2}a: "1"\nkind: ConfigMap\nmetadata:\n( {2}creationTimestamp: null\n)? {2}name: dry\n$/,
    ],
    ['create configmap dry --dry-run=server', 'configmap/dry created (server dry run)'],
    ['create configmap dry --dry-run=server -o yaml', [expectYaml('ConfigMap'), /uid: [-0-9a-f]{36}\n$/]],
    ['create deployment dry --image=x --dry-run=server -o jsonpath={.spec.strategy.type}', 'RollingUpdate'],
    ['create deployment dry --image=x --dry-run=client -o jsonpath={.spec.strategy}', '{}'],
    ['create service nodeport dry --tcp=80 --dry-run=server', 'service/dry created (server dry run)'],
    ['get cm,deploy,svc dry --ignore-not-found', ''],
  ],
  secrets: async (session) => {
    // Any certificate and its key will do, for example the user's own.
    for (const part of ['certificate', 'key']) {
      const data = await session.run(`config view --raw -o jsonpath={.users[0].user.client-${part}-data}`)
      await session.write(part, Buffer.from(data, 'base64').toString())
    }
    await session.play(
      ['create secret generic plain --from-literal=password=s3cret', 'secret/plain created'],
      ['create secret docker-registry pull --docker-server=r.io --docker-username=u --docker-password=p', 'secret/pull created'],
      ['create secret tls pair --cert=certificate --key=key', 'secret/pair created'],
      [
        'create secret tls none --cert=key --key=key',
        { code: 1, stderr: /^error: tls: failed to find certificate PEM data in certificate input, but did find a private key/ },
      ],
      [
        'get secrets',
        matchTable('NAME TYPE DATA AGE', 'pair kubernetes.io/tls 2 *', 'plain Opaque 1 *', 'pull kubernetes.io/dockerconfigjson 1 *'),
      ],
      ['get secret plain -o jsonpath={.data.password}', 'czNjcmV0'],
      [
        `get secret pull -o 'go-template={{index .data ".dockerconfigjson" | base64decode}}'`,
        '{"auths":{"r.io":{"username":"u","password":"p","auth":"dTpw"}}}',
      ],
      [
        'create secret generic half --type=kubernetes.io/tls --from-literal=tls.crt=x',
        { code: 1, stderr: 'error: failed to create secret Secret "half" is invalid: data[tls.key]: Required value' },
      ],
    )
  },
  'services of four types': [
    ['create service clusterip c --tcp=80:8080', 'service/c created'],
    ['create service clusterip h --clusterip=None', 'service/h created'],
    ['create service nodeport n --tcp=80 --node-port=31999', 'service/n created'],
    ['create service loadbalancer l --tcp=443:8443', 'service/l created'],
    ['create service externalname e --external-name=example.com', 'service/e created'],
    [
      'get svc -o wide',
      matchTable(
        'NAME TYPE CLUSTER-IP EXTERNAL-IP PORT(S) AGE SELECTOR',
        'c ClusterIP * <none> 80/TCP * app=c',
        'e ExternalName <none> example.com <none> * app=e',
        'h ClusterIP None <none> <none> * app=h',
        'l LoadBalancer * <pending> * * app=l',
        'n NodePort * <none> 80:31999/TCP * app=n',
      ),
    ],
    [
      'create service nodeport m --tcp=80 --node-port=31999',
      {
        code: 1,
        stderr:
          'error: failed to create NodePort service: Service "m" is invalid: spec.ports[0].nodePort: Invalid value: 31999: provided port is already allocated',
      },
    ],
  ],
  'a service account and its token': async (session) => {
    const decodeClaims = async (command: string): Promise<Record<string, unknown>> =>
      JSON.parse(Buffer.from((await session.run(command)).split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>
    await session.play(['create serviceaccount bot', 'serviceaccount/bot created'], ['get sa bot', matchTable('NAME AGE', 'bot *')])
    const { sub, aud, exp, iat } = await decodeClaims('create token bot --duration=10m --audience=me')
    if (sub !== `system:serviceaccount:${session.namespace}:bot` || String(aud) !== 'me' || Number(exp) - Number(iat) !== 600)
      throw new Error(`the token has unexpected claims: ${JSON.stringify({ sub, aud, exp, iat })}`)
    await session.play(
      [
        'create token bot --duration=1m',
        {
          code: 1,
          stderr:
            'error: failed to create token: TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes',
        },
      ],
      ['create token nobody', { code: 1, stderr: 'error: failed to create token: serviceaccounts "nobody" not found' }],
    )
  },
  'namespaces, quotas, priorities and budgets': async (session) => {
    const mine = session.namespace
    await session.play(
      [`create namespace ${mine}`, { code: 1, stderr: `Error from server (AlreadyExists): namespaces "${mine}" already exists` }],
      ['create quota q --hard=pods=10,requests.cpu=1', 'resourcequota/q created'],
      ['get quota q -o jsonpath={.spec.hard}', '{"pods":"10","requests.cpu":"1"}'],
      [
        'create quota scoped --hard=cpu=1 --scopes=BestEffort',
        {
          code: 1,
          stderr:
            'error: failed to create quota: ResourceQuota "scoped" is invalid: spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource',
        },
      ],
      [`create priorityclass ${mine} --value=10 --description=mine`, `priorityclass.scheduling.k8s.io/${mine} created`],
      [`get pc ${mine}`, matchTable('NAME VALUE GLOBAL-DEFAULT AGE PREEMPTIONPOLICY', `${mine} 10 false * PreemptLowerPriority`)],
      [`describe pc ${mine}`, matchLines('Value: 10', 'GlobalDefault: false', 'Description: mine')],
      ['create poddisruptionbudget b --selector=app=x --min-available=50%', 'poddisruptionbudget.policy/b created'],
      ['get pdb b', matchTable('NAME MIN AVAILABLE MAX UNAVAILABLE ALLOWED DISRUPTIONS AGE', 'b 50% N/A 0 *')],
      ['describe pdb b', matchLines('Min available: 50%', 'Selector: app=x', 'Allowed disruptions: 0')],
      ['describe quota q', matchLines('Name: q', 'Resource Used Hard')],
    )
  },
  'deployments, jobs and cron jobs': [
    ['create deployment d --image=nginx --image=redis --replicas=2', 'deployment.apps/d created'],
    [
      'get deploy d -o wide',
      matchTable('NAME READY UP-TO-DATE AVAILABLE AGE CONTAINERS IMAGES SELECTOR', 'd 0/2 0 0 * nginx,redis nginx,redis app=d'),
    ],
    ['create job once --image=busybox -- echo hello', 'job.batch/once created'],
    ['get job once -o jsonpath={.spec.template.spec.containers[0].command}', '["echo","hello"]'],
    ['get jobs', matchTable('NAME STATUS COMPLETIONS DURATION AGE', 'once Running 0/1 *')],
    [
      'describe job once',
      matchLines('Parallelism: 1', 'Completions: 1', 'Completion Mode: NonIndexed', 'Suspend: false', 'Backoff Limit: 6'),
    ],
    ["create cronjob often --image=busybox --schedule='*/5 * * * *' -- date", 'cronjob.batch/often created'],
    ['get cronjobs', matchTable('NAME SCHEDULE TIMEZONE SUSPEND ACTIVE LAST SCHEDULE AGE', 'often */5 * * * * <none> False 0 <none> *')],
    ['describe cronjob often', matchLines('Schedule: */5 * * * *', 'Concurrency Policy: Allow', 'Suspend: False')],
    ['create job now --from=cronjob/often', 'job.batch/now created'],
    [
      'get job now -o jsonpath={.metadata.ownerReferences[0].name}/{.metadata.annotations}',
      'often/{"cronjob.kubernetes.io/instantiate":"manual"}',
    ],
    [
      'create cronjob never --image=busybox --schedule=never',
      {
        code: 1,
        stderr:
          'error: failed to create cronjob: CronJob.batch "never" is invalid: spec.schedule: Invalid value: "never": expected exactly 5 fields, found 1: [never]',
      },
    ],
  ],
  ingresses: [
    [
      "create ingress i --class=x '--rule=a.com/p*=svc:80,tls=cert' --rule=b.com/q=svc:http --annotation=k=v",
      'ingress.networking.k8s.io/i created',
    ],
    ['get ingress i', matchTable('NAME CLASS HOSTS ADDRESS PORTS AGE', 'i x a.com,b.com 80, 443 *')],
    ['describe ingress i', matchLines('Ingress Class: x', 'a.com', '/p svc:80 (<error: services "svc" not found>)', 'Annotations: k: v')],
    ['create ingress plain --default-backend=svc:80', 'ingress.networking.k8s.io/plain created'],
    ['get ingress plain', matchTable('NAME CLASS HOSTS ADDRESS PORTS AGE', 'plain <none> * 80 *')],
    [
      'create ingress bad --rule=a_b/=svc:80',
      {
        code: 1,
        stderr:
          /Ingress\.networking\.k8s\.io "bad" is invalid: spec\.rules\[0\]\.host: Invalid value: "a_b": a lowercase RFC 1123 subdomain/,
      },
    ],
  ],
  'roles and bindings': async (session) => {
    const mine = session.namespace
    await session.play(
      ['create role r --verb=get,list --resource=pods,deployments.apps --resource-name=x', 'role.rbac.authorization.k8s.io/r created'],
      [
        'describe role r',
        matchLines('Resources Non-Resource URLs Resource Names Verbs', 'pods [] [x] [get list]', 'deployments.apps [] [x] [get list]'),
      ],
      ['get role r', /^NAME +CREATED AT\nr +\d{4}-\d\d-\d\dT[\d:]+Z\n$/],
      [
        'create role r --verb=get --resource=pods',
        { code: 1, stderr: 'Error from server (AlreadyExists): roles.rbac.authorization.k8s.io "r" already exists' },
      ],
      [`create clusterrole ${mine} --verb=get --resource=nodes,pods/log`, `clusterrole.rbac.authorization.k8s.io/${mine} created`],
      [
        `create clusterrole ${mine}-urls --verb=get --non-resource-url=/metrics/*`,
        `clusterrole.rbac.authorization.k8s.io/${mine}-urls created`,
      ],
      [`create clusterrole ${mine}-sum --aggregation-rule=a=b`, `clusterrole.rbac.authorization.k8s.io/${mine}-sum created`],
      [`describe clusterrole ${mine}`, matchLines('nodes [] [] [get]', 'pods/log [] [] [get]')],
      ['create rolebinding b --role=r --user=u --group=g --serviceaccount=ns:bot', 'rolebinding.rbac.authorization.k8s.io/b created'],
      ['get rolebinding b -o wide', matchTable('NAME ROLE AGE USERS GROUPS SERVICEACCOUNTS', 'b Role/r * u g ns/bot')],
      ['describe rolebinding b', matchLines('Kind: Role', 'Name: r', 'User u', 'Group g', 'ServiceAccount bot ns')],
      [`create clusterrolebinding ${mine} --clusterrole=${mine} --user=u`, `clusterrolebinding.rbac.authorization.k8s.io/${mine} created`],
      [
        `get clusterrolebinding ${mine} -o wide`,
        matchTable('NAME ROLE AGE USERS GROUPS SERVICEACCOUNTS', `${mine} ClusterRole/${mine} * u`),
      ],
      [
        'patch rolebinding b --type=merge -p {"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"other"}}',
        { code: 1, stderr: /^The RoleBinding "b" is invalid: roleRef: Invalid value: .*: cannot change roleRef\n$/ },
      ],
    )
  },
  'from files, lists and generated names': [
    [
      'create -f -',
      'configmap/one created\nconfigmap/two created',
      'apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: one}}\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: two}}\n',
    ],
    ['create -f -', /^configmap\/some-[a-z0-9]{5} created\n$/, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: some-}\n'],
    [
      'create -f -',
      { code: 1, stderr: 'Error from server (AlreadyExists): error when creating "STDIN": configmaps "one" already exists' },
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n',
    ],
    ['create -f - --save-config', 'configmap/saved created', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: saved}\n'],
    ['get cm saved -o jsonpath={.metadata.annotations}', /last-applied-configuration/],
  ],
}

// Keeps the files of the page, so that it opens without a network. The name
// holds a hash of them: new files replace the old ones as a whole.

const cacheName = 'leanmem-demo-HASH';
const files = ['./', 'index.html', 'demo.css', 'demo.js', 'leanmem-step.wasm'];

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(cacheName).then((cache) => cache.addAll(files)).then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => {
  const sweep = async () => {
    for (const name of await caches.keys()) if (name.startsWith('leanmem-demo-') && name !== cacheName) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(sweep());
});

self.addEventListener('fetch', (event) => {
  if (event.request.method !== 'GET' || new URL(event.request.url).origin !== self.location.origin) return;
  event.respondWith(caches.open(cacheName).then(async (cache) => (await cache.match(event.request, { ignoreSearch: true })) ?? fetch(event.request)));
});

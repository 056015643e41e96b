using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .guarded),
    (name = "loopback", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);

const guarded :Workerd.Worker = (
  modules = [(name = "worker.mjs", esModule = embed "bundle.mjs")],
  compatibilityDate = "DATE",
  globalOutbound = "loopback",
);

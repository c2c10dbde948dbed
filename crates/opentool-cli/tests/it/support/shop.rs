//! A pet shop on a port of its own, for the length of a test.

use std::sync::mpsc;
use std::thread::JoinHandle;

use opentool_petshop::PetShop;
use tokio::sync::oneshot;

/// A pet shop that is open until it is dropped.
pub(crate) struct Shop {
    /// Its address: `http://127.0.0.1:PORT`.
    pub(crate) url: String,
    close: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Shop {
    /// Opens a shop.
    pub(crate) fn open() -> Self {
        let (opened, address) = mpsc::channel();
        let (close, closed) = oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let shop = PetShop::start("127.0.0.1:0").await.unwrap();
                opened.send(shop.base_url().to_owned()).unwrap();
                let _ = closed.await;
                shop.shutdown().await;
            });
        });
        Self { url: address.recv().unwrap(), close: Some(close), thread: Some(thread) }
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        drop(self.close.take());
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

//! A socket that can be watched for its client's leaving while somebody else reads and writes it.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

/// The room for what is read at once, at first and at most, in bytes. Room is written over before it is read into, and most
/// requests are short.
const ROOM: (usize, usize) = (1_024, 64 * 1_024);

/// Both directions of a TCP connection.
pub(crate) struct Socket {
    read: Arc<OwnedReadHalf>,
    write: OwnedWriteHalf,
    room: usize,
}

/// Sees when the other side leaves, even if bytes that nobody has read are in front of that.
pub(crate) struct Watch(Arc<OwnedReadHalf>);

impl Socket {
    pub(crate) fn new(socket: TcpStream) -> (Self, Watch) {
        let (read, write) = socket.into_split();
        let read = Arc::new(read);
        (Self { read: Arc::clone(&read), write, room: ROOM.0 }, Watch(read))
    }
}

impl Watch {
    /// Completes when the client has closed the connection, or its sending side. Elsewhere than on Linux it never does,
    /// and whoever reads finds out.
    pub(crate) async fn left(&self) {
        // "Priority" is the interest that is content with the end of the other side and does not ask for bytes.
        #[cfg(any(target_os = "linux", target_os = "android"))]
        while let Ok(ready) = self.0.ready(Interest::PRIORITY).await {
            if ready.is_read_closed() {
                return;
            }
            // Urgent bytes, which HTTP does not have.
            let nothing: io::Result<()> =
                self.0.as_ref().as_ref().try_io(Interest::PRIORITY, || Err(io::ErrorKind::WouldBlock.into()));
            drop(nothing);
        }
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        std::future::pending::<()>().await;
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Self { read, room, .. } = &mut *self;
        let socket: &TcpStream = read.as_ref().as_ref();
        loop {
            ready!(socket.poll_read_ready(cx))?;
            let most = buf.remaining().min(*room);
            match take(socket, buf.initialize_unfilled_to(most)) {
                Ok(read) => {
                    buf.advance(read);
                    if read == *room {
                        *room = room.saturating_mul(2).min(ROOM.1);
                    }
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

/// Reads what is there. Less than there is room for means that nothing is left; to say so here saves the question to the
/// system that would be answered with "would block".
#[cfg(unix)]
fn take(socket: &TcpStream, room: &mut [u8]) -> io::Result<usize> {
    use std::io::Read as _;

    let mut read = 0;
    let said = socket.try_io(Interest::READABLE, || {
        read = (&*socket2::SockRef::from(socket)).read(room)?;
        if 0 < read && read < room.len() { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(()) }
    });
    if read > 0 { Ok(read) } else { said.map(|()| 0) }
}

#[cfg(not(unix))]
fn take(socket: &TcpStream, room: &mut [u8]) -> io::Result<usize> {
    socket.try_read(room)
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.write).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.write).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.write).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.write).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.write.is_write_vectored()
    }
}

// SPDX-License-Identifier: GPL-2.0-only
//! glass0 and glass1 send a message to each other, and compare it. Exit status: 0; 1 if a verb or a
//! work request failed; 9 if the data is wrong.
use std::ffi::CStr;
use std::io::Error;
use std::mem::zeroed;
use std::process::exit;
use std::time::{Duration, Instant};

#[allow(warnings)]
mod verbs {
    include!("build/verbs.rs");
}
use verbs::*;

const BYTES: usize = 10000;
const WAIT: Duration = Duration::from_secs(5);

/// Turns the null pointer of a verb that failed into an error.
fn made<T>(what: &str, pointer: *mut T) -> Result<*mut T, String> {
    if pointer.is_null() {
        return Err(format!("{what}: {}", Error::last_os_error()));
    }
    Ok(pointer)
}

/// Turns the error number that a verb returned into an error.
fn done(what: &str, err: i32) -> Result<(), String> {
    if err != 0 {
        return Err(format!("{what}: {}", Error::from_raw_os_error(err)));
    }
    Ok(())
}

fn open(name: &str) -> Result<*mut ibv_context, String> {
    let mut number = 0;
    unsafe {
        let list = made("get_device_list", ibv_get_device_list(&mut number))?;
        let found = (0..number as usize)
            .map(|i| *list.add(i))
            .find(|&device| CStr::from_ptr(ibv_get_device_name(device)).to_bytes() == name.as_bytes());
        let context = found.map(|device| made(name, ibv_open_device(device)));
        ibv_free_device_list(list);
        context.unwrap_or_else(|| Err(format!("{name}: no such adapter")))
    }
}

struct End {
    context: *mut ibv_context,
    pd: *mut ibv_pd,
    cq: *mut ibv_cq,
    mr: *mut ibv_mr,
    qp: *mut ibv_qp,
    port: ibv_port_attr,
    /// The sent message, then the received one.
    data: Vec<u8>,
}

impl End {
    fn new(name: &str, message: impl Fn(usize) -> u8) -> Result<End, String> {
        let mut data: Vec<u8> = (0..BYTES).map(message).collect();
        data.resize(2 * BYTES, 0);
        unsafe {
            let context = open(name)?;
            let mut port: ibv_port_attr = zeroed();
            done("query_port", ___ibv_query_port(context, 1, &mut port))?;
            let pd = made("alloc_pd", ibv_alloc_pd(context))?;
            let access = IBV_ACCESS_LOCAL_WRITE as i32;
            let mr = made("reg_mr", ibv_reg_mr(pd, data.as_mut_ptr().cast(), data.len(), access))?;
            let cq = made(
                "create_cq",
                ibv_create_cq(context, 2, std::ptr::null_mut(), std::ptr::null_mut(), 0),
            )?;
            let mut attr: ibv_qp_init_attr = zeroed();
            attr.send_cq = cq;
            attr.recv_cq = cq;
            attr.qp_type = IBV_QPT_RC;
            attr.cap.max_send_wr = 1;
            attr.cap.max_recv_wr = 1;
            attr.cap.max_send_sge = 1;
            attr.cap.max_recv_sge = 1;
            let qp = made("create_qp", ibv_create_qp(pd, &mut attr))?;
            Ok(End { context, pd, cq, mr, qp, port, data })
        }
    }

    fn sge(&self, offset: usize) -> ibv_sge {
        ibv_sge {
            addr: self.data.as_ptr() as u64 + offset as u64,
            length: BYTES as u32,
            lkey: unsafe { (*self.mr).lkey },
        }
    }

    /// Posts the receive before the peer can send.
    fn connect(&self, peer: &End) -> Result<(), String> {
        unsafe {
            let mut attr: ibv_qp_attr = zeroed();
            attr.qp_state = IBV_QPS_INIT;
            attr.port_num = 1;
            self.modify(
                &mut attr,
                IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
            )?;
            let mut sge = self.sge(BYTES);
            let mut recv: ibv_recv_wr = zeroed();
            recv.wr_id = 1;
            recv.sg_list = &mut sge;
            recv.num_sge = 1;
            done("post_recv", ibv_post_recv(self.qp, &mut recv, &mut std::ptr::null_mut()))?;
            attr.qp_state = IBV_QPS_RTR;
            attr.path_mtu = self.port.active_mtu;
            attr.dest_qp_num = (*peer.qp).qp_num;
            attr.max_dest_rd_atomic = 1;
            attr.min_rnr_timer = 12;
            attr.ah_attr.dlid = peer.port.lid;
            attr.ah_attr.port_num = 1;
            self.modify(
                &mut attr,
                IBV_QP_STATE
                    | IBV_QP_AV
                    | IBV_QP_PATH_MTU
                    | IBV_QP_DEST_QPN
                    | IBV_QP_RQ_PSN
                    | IBV_QP_MAX_DEST_RD_ATOMIC
                    | IBV_QP_MIN_RNR_TIMER,
            )?;
            attr.qp_state = IBV_QPS_RTS;
            attr.timeout = 14;
            attr.retry_cnt = 7;
            attr.rnr_retry = 6;
            attr.max_rd_atomic = 1;
            self.modify(
                &mut attr,
                IBV_QP_STATE
                    | IBV_QP_TIMEOUT
                    | IBV_QP_RETRY_CNT
                    | IBV_QP_RNR_RETRY
                    | IBV_QP_SQ_PSN
                    | IBV_QP_MAX_QP_RD_ATOMIC,
            )
        }
    }

    fn modify(&self, attr: &mut ibv_qp_attr, mask: u32) -> Result<(), String> {
        done("modify_qp", unsafe { ibv_modify_qp(self.qp, attr, mask as i32) })
    }

    fn send(&self) -> Result<(), String> {
        let mut sge = self.sge(0);
        unsafe {
            let mut send: ibv_send_wr = zeroed();
            send.wr_id = 2;
            send.sg_list = &mut sge;
            send.num_sge = 1;
            send.opcode = IBV_WR_SEND;
            send.send_flags = IBV_SEND_SIGNALED;
            done("post_send", ibv_post_send(self.qp, &mut send, &mut std::ptr::null_mut()))
        }
    }

    /// Waits for the completions of the send and of the receive, and fails if one does not come in time.
    fn wait(&self) -> Result<(), String> {
        let until = Instant::now() + WAIT;
        let mut got = 0;
        while got < 2 {
            let mut wc: ibv_wc = unsafe { zeroed() };
            match unsafe { ibv_poll_cq(self.cq, 1, &mut wc) } {
                1 if wc.status == IBV_WC_SUCCESS => got += 1,
                1 => {
                    let status = unsafe { CStr::from_ptr(ibv_wc_status_str(wc.status)) };
                    return Err(format!("wr_id {}: {}", wc.wr_id, status.to_string_lossy()));
                }
                0 if Instant::now() < until => (),
                0 => return Err("poll_cq: a completion did not come".into()),
                n => return Err(format!("poll_cq: {n}")),
            }
        }
        Ok(())
    }

    fn received(&self, peer: &End) -> bool {
        // The adapter wrote there, which the compiler does not see.
        let received = unsafe { std::slice::from_raw_parts(self.data.as_ptr().add(BYTES), BYTES) };
        received == &peer.data[..BYTES]
    }

    fn close(self) -> Result<(), String> {
        unsafe {
            done("destroy_qp", ibv_destroy_qp(self.qp))?;
            done("destroy_cq", ibv_destroy_cq(self.cq))?;
            done("dereg_mr", ibv_dereg_mr(self.mr))?;
            done("dealloc_pd", ibv_dealloc_pd(self.pd))?;
            done("close_device", ibv_close_device(self.context))
        }
    }
}

/// Whether both messages arrived unchanged.
fn transfer() -> Result<bool, String> {
    let a = End::new("glass0", |i| (7 * i + i / 256) as u8)?;
    let b = End::new("glass1", |i| !((7 * i + i / 256) as u8))?;
    a.connect(&b)?;
    b.connect(&a)?;
    a.send()?;
    b.send()?;
    a.wait()?;
    b.wait()?;
    let right = a.received(&b) && b.received(&a);
    a.close()?;
    b.close()?;
    Ok(right)
}

fn main() {
    match transfer() {
        Ok(true) => println!("transfer: {BYTES} bytes each way"),
        Ok(false) => {
            eprintln!("transfer: the data is wrong");
            exit(9);
        }
        Err(text) => {
            eprintln!("transfer: {text}");
            exit(1);
        }
    }
}
